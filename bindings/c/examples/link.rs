// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! link ARCH OUTPUT FILE...: links device code by liblld-cuda.
//!
//!   rustc link.rs -L FOLDER-OF-THE-LIBRARY -o link
//!   ./link sm_90 linked.cubin a.cubin b.o
//!
//! `Link` is all that a program needs; the declarations are those of lldcuda.h.

use std::os::raw::c_void;
use std::{env, fs, process, ptr, slice};

mod sys {
    use std::os::raw::c_void;

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Str {
        pub data: *const u8,
        pub size: usize,
    }

    #[repr(C)]
    pub struct Options {
        pub struct_size: usize,
        pub arch: Str,
        pub release: Str,
        pub flags: u32,
        pub note: i32,
        pub kernels_used: *const Str,
        pub kernels_used_count: usize,
        pub variables_used: *const Str,
        pub variables_used_count: usize,
        pub compile: *const c_void,
        pub compile_user: *mut c_void,
        pub ptxas_path: Str,
        pub ptxas_options: *const Str,
        pub ptxas_options_count: usize,
        pub max_registers: i32,
        pub threads: u32,
        pub nvjitlink_path: Str,
        pub temporary_directory: Str,
        pub memory_limit: u64,
        pub cache_directory: Str,
    }

    #[repr(C)]
    pub struct Input {
        pub struct_size: usize,
        pub kind: i32,
        pub flags: u32,
        pub data: *const c_void,
        pub size: usize,
        pub path: Str,
        pub prepared: *mut c_void,
        pub name: Str,
    }

    #[repr(C)]
    pub struct Bytes {
        pub data: *const u8,
        pub size: usize,
    }

    #[link(name = "lld-cuda")]
    extern "C" {
        pub fn lldcuda_link_create(options: *const Options, link: *mut *mut c_void) -> i32;
        pub fn lldcuda_link_add(link: *mut c_void, input: *const Input, number: *mut u32) -> i32;
        pub fn lldcuda_link_run(link: *mut c_void) -> i32;
        pub fn lldcuda_link_log(link: *mut c_void) -> Str;
        pub fn lldcuda_link_output(link: *const c_void, output: i32) -> Bytes;
        pub fn lldcuda_link_destroy(link: *mut c_void);
    }
}

fn string(text: &str) -> sys::Str {
    sys::Str { data: text.as_ptr(), size: text.len() }
}

/// A link. What it returns lives as long as it does.
struct Link(*mut c_void);

// Each call locks the link.
unsafe impl Send for Link {}
unsafe impl Sync for Link {}

impl Link {
    fn new(arch: &str) -> Result<Link, String> {
        // Zero is the default of every field.
        let mut options: sys::Options = unsafe { std::mem::zeroed() };
        options.struct_size = std::mem::size_of::<sys::Options>();
        options.arch = string(arch);
        let mut link = Link(ptr::null_mut());
        let status = unsafe { sys::lldcuda_link_create(&options, &mut link.0) };
        link.check(status)?;
        Ok(link)
    }

    /// The library copies the bytes.
    fn add(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let mut input: sys::Input = unsafe { std::mem::zeroed() };
        input.struct_size = std::mem::size_of::<sys::Input>();
        input.data = bytes.as_ptr() as *const c_void;
        input.size = bytes.len();
        input.name = string(name);
        self.check(unsafe { sys::lldcuda_link_add(self.0, &input, ptr::null_mut()) })
    }

    fn run(&self) -> Result<&[u8], String> {
        self.check(unsafe { sys::lldcuda_link_run(self.0) })?;
        unsafe {
            let image = sys::lldcuda_link_output(self.0, 0);
            Ok(slice::from_raw_parts(image.data, image.size))
        }
    }

    fn check(&self, status: i32) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        let log = unsafe { sys::lldcuda_link_log(self.0) };
        let bytes = unsafe { slice::from_raw_parts(log.data, log.size) };
        Err(String::from_utf8_lossy(bytes).into_owned())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        unsafe { sys::lldcuda_link_destroy(self.0) }
    }
}

fn link(arguments: &[String]) -> Result<(), String> {
    let link = Link::new(&arguments[1])?;
    for path in &arguments[3..] {
        let bytes = fs::read(path).map_err(|error| format!("{}: {}", path, error))?;
        link.add(path, &bytes)?;
    }
    let image = link.run()?;
    fs::write(&arguments[2], image).map_err(|error| error.to_string())
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    if arguments.len() < 4 {
        eprintln!("usage: link ARCH OUTPUT FILE...");
        process::exit(2);
    }
    if let Err(text) = link(&arguments) {
        eprint!("{}", text);
        process::exit(1);
    }
}
