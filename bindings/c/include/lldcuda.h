/*===- lldcuda.h - Linking CUDA device code -----------------------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/**
 * \file
 * The C interface of lld-cuda, a linker for CUDA device code, in
 * liblld-cuda.so.0. Programs that link in their own process call it, such as
 * JIT compilers; so do this project's bindings for other languages and its
 * stand-in for libnvJitLink (bindings/nvjitlink). A link in five calls:
 *
 *   lldcuda_options options = lldcuda_options_init();
 *   options.arch = lldcuda_str("sm_90");
 *   lldcuda_link *link;
 *   if (lldcuda_link_create(&options, &link) == LLDCUDA_OK) {
 *     lldcuda_input input = lldcuda_input_init();
 *     input.data = cubin;
 *     input.size = cubin_size;
 *     lldcuda_link_add(link, &input, NULL);
 *     if (lldcuda_link_run(link) == LLDCUDA_OK)
 *       load(lldcuda_link_output(link, LLDCUDA_OUTPUT_IMAGE).data);
 *   }
 *   lldcuda_link_destroy(link);
 *
 * These rules hold for all functions:
 *
 * Handles    There are two kinds: lldcuda_link, one link, and lldcuda_prepared,
 *            an input that many links use. For NULL, functions that return a
 *            status return LLDCUDA_ERROR_INVALID_ARGUMENT, those that return a
 *            value return 0 or an empty string, and those that destroy a handle
 *            do nothing. A destroyed handle must not be used again.
 * Errors     Functions return errors as a status. The messages about an error
 *            are diagnostics of the link, and stay until the link is destroyed.
 *            After any error a link can be asked for its diagnostics, and
 *            destroyed. No function throws a C++ exception or writes to a
 *            stream. A function that fails for lack of memory returns
 *            LLDCUDA_ERROR_OUT_OF_MEMORY and frees what it had allocated,
 *            except what a function of LLVM may hold at that moment.
 * Ownership  A function copies its arguments before it returns, so the caller
 *            may free or overwrite them at once. What is returned by pointer
 *            belongs to the handle, doesn't change, and is valid until the
 *            handle is destroyed.
 * Strings    A string is a pointer and a number of bytes, and needs no NUL at
 *            the end. An empty string may be NULL with size 0. Strings that are
 *            returned have a NUL after their last byte, and are never NULL.
 *            Texts are UTF-8, except for names in inputs that aren't.
 * Structs    A struct begins with its size in bytes, which the caller sets
 *            (functions whose names end with _init do it). So a program can use
 *            a newer library, whose structs are longer: fields that aren't in
 *            the program's struct are neither read nor written. It is an
 *            invalid argument if the size is less than that in the first
 *            release of this header or more than 4096, or if a field that the
 *            library doesn't know isn't zero.
 * Enumerations  They are int32_t. A newer library may return values that this
 *            header doesn't have: a program should treat an unknown status as
 *            an error, and an unknown severity by its order.
 * Threads    Different handles share nothing, so any number of threads can link
 *            at once without waiting for each other. Links of one prepared
 *            input may wait: what several need of it is made once. A handle has
 *            a mutex, so several threads may use one handle; their calls are
 *            done one after the other. A prepared input can be used by any
 *            number of links in any threads. A handle must not be destroyed
 *            while another thread is in a call with it; but links to which a
 *            prepared input was added don't need its handle any more.
 *            A link of many or large inputs starts threads of its own, which
 *            end before the call returns; lldcuda_options.threads limits their
 *            number. 64 KB are enough for the stack of the calling thread.
 * Fork       After fork() the child may use the library, all links that no
 *            other thread was using at that moment, and all prepared inputs
 *            that no other thread's link was using. No thread outlives a call.
 * Process    The library reads no environment variable, installs no handlers,
 *            changes neither signals nor locale nor working directory, and
 *            keeps all state of links in their handles. The first call
 *            allocates and frees a block of 1 MB, after which glibc keeps up to
 *            2 MB of free memory for later links. It reads the files that
 *            inputs name. It writes only files for compilers, in a directory
 *            below lldcuda_options.temporary_directory, which it removes before
 *            the call returns; and in lldcuda_options.cache_directory, if that
 *            is set.
 *
 * This is version 0 of the interface. Until release 1.0 functions may change;
 * then the library's SONAME and symbol version change, too.
 */

#ifndef LLDCUDA_H
#define LLDCUDA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define LLDCUDA_API __attribute__((visibility("default")))
#else
#define LLDCUDA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the interface that this header describes. */
#define LLDCUDA_INTERFACE_VERSION 0

/** One link. lldcuda_link_create() makes it. */
typedef struct lldcuda_link lldcuda_link;
/** An input that was read for many links. lldcuda_prepare() makes it. */
typedef struct lldcuda_prepared lldcuda_prepared;

/** A text, or a list of bytes. */
typedef struct lldcuda_string {
  const char *data; /* NULL only if size is 0. */
  size_t size;      /* In bytes, without a NUL. */
} lldcuda_string;

/** Returns a C string as lldcuda_string, without copying it; NULL becomes the
 *  empty string. */
static inline lldcuda_string lldcuda_str(const char *text) {
  lldcuda_string string;
  string.data = text;
  string.size = text ? strlen(text) : 0;
  return string;
}

/*===-- Status ------------------------------------------------------------===*/

/** What functions return: LLDCUDA_OK or an error. */
typedef int32_t lldcuda_status;
enum {
  LLDCUDA_OK = 0,
  /** The program has made a mistake: it has passed NULL where that isn't
   *  allowed, an unknown value of an enumeration, or a struct that is too
   *  short. There may be no message. */
  LLDCUDA_ERROR_INVALID_ARGUMENT = 1,
  /** The call isn't allowed any more: inputs can't be added and links can't run
   *  after lldcuda_link_run() or after wrong options, and options can't be set
   *  after the first input was added. */
  LLDCUDA_ERROR_INVALID_STATE = 2,
  /** There is no more memory, or lldcuda_options.memory_limit is reached. */
  LLDCUDA_ERROR_OUT_OF_MEMORY = 3,
  /** There is a bug in the linker. */
  LLDCUDA_ERROR_INTERNAL = 4,

  /* Options. */
  /** An option doesn't exist, or can't have that value. */
  LLDCUDA_ERROR_OPTION = 10,
  /** There is no target: lldcuda_options.arch is empty. */
  LLDCUDA_ERROR_NO_ARCH = 11,
  /** The target is written correctly, but isn't known. */
  LLDCUDA_ERROR_UNKNOWN_ARCH = 12,
  /** Options contradict each other. */
  LLDCUDA_ERROR_CONFLICTING_OPTIONS = 13,

  /* Inputs. */
  /** A file can't be opened or read, or was written to meanwhile. */
  LLDCUDA_ERROR_FILE = 20,
  /** The input isn't of the kind that lldcuda_input.kind says or, with
   *  LLDCUDA_INPUT_ANY, of no known kind. */
  LLDCUDA_ERROR_INPUT_KIND = 21,
  /** The input is damaged. */
  LLDCUDA_ERROR_DAMAGED_INPUT = 22,
  /** The input is for another architecture. */
  LLDCUDA_ERROR_ARCH_MISMATCH = 23,
  /** The input was made by a CUDA release whose objects can't be linked: a
   *  newer one than lldcuda_options.release, or one that is too old. */
  LLDCUDA_ERROR_INPUT_RELEASE = 24,
  /** The input is LTO IR, but LLDCUDA_FLAG_LTO isn't set. */
  LLDCUDA_ERROR_LTO_NOT_ENABLED = 25,
  /** The input defines a symbol that an earlier input has defined. */
  LLDCUDA_ERROR_MULTIPLE_DEFINITION = 26,

  /* Links. */
  /** Symbols are undefined. */
  LLDCUDA_ERROR_UNDEFINED = 30,
  /** PTX can't be compiled, or there is no compiler for it. */
  LLDCUDA_ERROR_PTX = 31,
  /** LTO IR can't be compiled, or there is no compiler for it. */
  LLDCUDA_ERROR_LTO = 32,
  /** Any other error of a link. */
  LLDCUDA_ERROR_LINK = 33
};

/** Returns the name of a status, such as "damaged-input", or "unknown" if there
 *  is no such status. It is never NULL, and valid as long as the library is
 *  loaded. */
LLDCUDA_API const char *lldcuda_status_name(lldcuda_status status);

/*===-- The library -------------------------------------------------------===*/

/** Returns the library's version, such as "0.1.0". The string is valid as long
 *  as the library is loaded. */
LLDCUDA_API const char *lldcuda_version(void);

/** Returns the version of the interface that the library has, to be compared
 *  with LLDCUDA_INTERFACE_VERSION. */
LLDCUDA_API int32_t lldcuda_interface_version(void);

/*===-- Options -----------------------------------------------------------===*/

/** Values of lldcuda_options.note: which linker the image's note
 *  (.note.nv.tkinfo) names. */
enum {
  LLDCUDA_NOTE_OWN = 0,      /* This linker. */
  LLDCUDA_NOTE_NVLINK = 1,   /* The note is as nvlink writes it. */
  LLDCUDA_NOTE_NVJITLINK = 2 /* The note is as libnvJitLink writes it. */
};

/** Bits of lldcuda_options.flags. */
enum {
  /** Like nvlink's -r: the image is relocatable and can be linked again. */
  LLDCUDA_FLAG_RELOCATABLE = 1u << 0,
  /** Like nvlink's -g: PTX is compiled with debug information, and unreachable
   *  functions are kept. */
  LLDCUDA_FLAG_DEBUG = 1u << 1,
  /** Inputs may be LTO IR. */
  LLDCUDA_FLAG_LTO = 1u << 2,
  /** Except for the note, the image has the bytes that nvlink writes, nvlink's
   *  mistakes included. */
  LLDCUDA_FLAG_EXACT = 1u << 3,
  /** Like nvlink's -v: diagnostics report the resources that the image and its
   *  kernels need. */
  LLDCUDA_FLAG_VERBOSE = 1u << 4,
  /** Like nvlink's -ignore-host-info: kernels and variables are kept also if no
   *  host code in the inputs refers to them. */
  LLDCUDA_FLAG_IGNORE_HOST_INFO = 1u << 5
};

/** Where a lldcuda_compile_fn stores its result, with the two functions
 *  below. */
typedef struct lldcuda_compile_result lldcuda_compile_result;

/** What a lldcuda_compile_fn has to compile. */
typedef struct lldcuda_compile_request {
  size_t struct_size;
  int32_t kind;          /* The kind of source, always LLDCUDA_INPUT_PTX. */
  uint32_t input;        /* The input's number, from 1 on; 0 if unknown. */
  lldcuda_string source; /* There is a NUL after the last byte. */
  lldcuda_string arch;   /* The target, such as "sm_90". */
  lldcuda_string name;   /* The input's name in messages. */
  /** The options with which ptxas would be called, except -arch: "-m64", "-c",
   *  those with which the input was compiled, those of lldcuda_options. */
  const lldcuda_string *options;
  size_t option_count;
} lldcuda_compile_request;

/**
 * A function of the program that compiles PTX as `ptxas -c` does, to a
 * relocatable cubin. It stores the cubin with lldcuda_compile_set_output(), and
 * returns 0 for success. Any other value makes the link fail with
 * LLDCUDA_ERROR_PTX, whatever was stored. `user` is
 * lldcuda_options.compile_user.
 *
 * It is called within lldcuda_link_run(), by several threads at once if several
 * inputs have to be compiled, and for inputs with LLDCUDA_INPUT_COMPILE_NOW
 * within lldcuda_link_add(). It must not use the link's handle, whose mutex is
 * locked, and must return, not throw an exception or call longjmp(). `request`,
 * what it refers to, and `result` are valid until it returns.
 */
typedef int32_t (*lldcuda_compile_fn)(void *user,
                                      const lldcuda_compile_request *request,
                                      lldcuda_compile_result *result);

/** Stores a copy of the cubin. A second call replaces it. */
LLDCUDA_API lldcuda_status lldcuda_compile_set_output(
    lldcuda_compile_result *result, const void *data, size_t size);
/** Stores a copy of the compiler's messages, lines as ptxas prints them. They
 *  become a diagnostic of the severity LLDCUDA_SEVERITY_VERBATIM. */
LLDCUDA_API lldcuda_status
lldcuda_compile_set_log(lldcuda_compile_result *result, lldcuda_string text);

/** The options of a link. Zero is the default of all fields but two:
 *  struct_size and arch have to be set. */
typedef struct lldcuda_options {
  size_t struct_size; /* sizeof(lldcuda_options) */
  /** The target, such as "sm_90" or "sm_90a". Required, unless
   *  lldcuda_link_option() sets it. */
  lldcuda_string arch;
  /** The CUDA release whose nvlink's rules the link follows: "13.5.37", "13.5",
   *  "newest". If it is empty, the inputs decide. */
  lldcuda_string release;
  uint32_t flags; /* LLDCUDA_FLAG_... */
  int32_t note;   /* LLDCUDA_NOTE_... */
  /** The kernels to keep, i.e. all whose names contain one of these texts, and
   *  the variables to keep. If both lists are NULL, all are kept. As with
   *  nvlink's --kernels-used and --variables-used, no kernel is kept if only
   *  variables are named. */
  const lldcuda_string *kernels_used;
  size_t kernels_used_count;
  const lldcuda_string *variables_used;
  size_t variables_used_count;
  /** What compiles PTX: the callback `compile`, or else the program at
   *  ptxas_path. If neither is set, PTX is an error; ptxas isn't searched for.
   *  compile_user is passed to the callback. */
  lldcuda_compile_fn compile;
  void *compile_user;
  lldcuda_string ptxas_path;
  const lldcuda_string *ptxas_options; /* Further arguments for ptxas. */
  size_t ptxas_options_count;
  int32_t max_registers; /* Like ptxas's -maxrregcount; 0 for no limit. */
  uint32_t threads;      /* The most threads; 0 for one for each processor. */
  /** The path of NVIDIA's libnvJitLink.so, which compiles LTO IR. A process of
   *  its own loads it. */
  lldcuda_string nvjitlink_path;
  /** The folder for the files of compilers; if empty, /tmp. (A NUL in a string
   *  of these options, except arch, is LLDCUDA_ERROR_OPTION.) */
  lldcuda_string temporary_directory;
  /** The most bytes that the link may hold at a time, its inputs and outputs
   *  included; 0 for half of what the machine, RLIMIT_AS and the cgroup allow.
   *  A call that would exceed the limit fails with LLDCUDA_ERROR_OUT_OF_MEMORY
   *  and frees what it had allocated. Memory of lldcuda_prepare() and of
   *  compilers doesn't count. */
  uint64_t memory_limit;
  /** The folder in which the results of ptxas and libnvJitLink are cached, for
   *  later links of all processes of this user. It is created if it doesn't
   *  exist. If other users may write to it, it isn't used, and there is a
   *  warning. If it is empty, nothing is cached. Results of the callback aren't
   *  cached. */
  lldcuda_string cache_directory;
} lldcuda_options;

/** Returns options with struct_size set and all other fields zero. */
static inline lldcuda_options lldcuda_options_init(void) {
  lldcuda_options value;
  memset(&value, 0, sizeof(value));
  value.struct_size = sizeof(value);
  return value;
}

/*===-- Inputs ------------------------------------------------------------===*/

/** Values of lldcuda_input.kind: the format of an input. */
enum {
  LLDCUDA_INPUT_ANY = 0, /* The format is detected from the contents. */
  LLDCUDA_INPUT_CUBIN = 1,
  LLDCUDA_INPUT_PTX = 2,   /* Ends at the first NUL, if there is one. */
  LLDCUDA_INPUT_LTOIR = 3, /* NVIDIA's LTO IR. */
  LLDCUDA_INPUT_FATBIN = 4,
  LLDCUDA_INPUT_OBJECT = 5, /* A host object with fatbins, or a cubin. */
  LLDCUDA_INPUT_ARCHIVE = 6 /* An archive of objects, which are all linked. */
};

/** Bits of lldcuda_input.flags. */
enum {
  /** The input is linked only if functions are undefined when its turn comes,
   *  like libcudadevrt on a command line. */
  LLDCUDA_INPUT_IF_NEEDED = 1u << 0,
  /** The input is PTX and is compiled when it is added, so that errors in it
   *  are reported then. PTX in fatbins and objects is compiled later, when the
   *  link runs. */
  LLDCUDA_INPUT_COMPILE_NOW = 1u << 1
};

/** An input: bytes, a file, or a prepared input. One of `data`, `path` and
 *  `prepared` is set. If none is, the input has no bytes, which is an error,
 *  since it isn't device code. */
typedef struct lldcuda_input {
  size_t struct_size; /* sizeof(lldcuda_input) */
  int32_t kind;       /* LLDCUDA_INPUT_...; ignored with `prepared`. */
  uint32_t flags;     /* LLDCUDA_INPUT_IF_NEEDED, ... */
  const void *data;
  size_t size;
  /** A file, which is read during the call. Its suffix has no meaning. Anything
   *  but a regular file, such as a pipe, is LLDCUDA_ERROR_FILE. */
  lldcuda_string path;
  lldcuda_prepared *prepared;
  /** The name in messages. If it is empty, that is the path, or the name with
   *  which an input was prepared, or else "<input 3>" (by its number). Inputs
   *  may have the same name. */
  lldcuda_string name;
} lldcuda_input;

/** Returns an input with struct_size set and all other fields zero. */
static inline lldcuda_input lldcuda_input_init(void) {
  lldcuda_input value;
  memset(&value, 0, sizeof(value));
  value.struct_size = sizeof(value);
  return value;
}

/**
 * Reads an input once for many links. `input` has bytes or a path, not
 * `prepared`, and no flags: these are given to lldcuda_link_add(). *prepared
 * owns the contents, which never change. What a link finds out about them
 * (members of archives, decompressed code, checked cubins, and from sm_100 on
 * up to four versions of each function's final code) is kept for the next
 * links, as long as the prepared input exists. Whether the input is damaged, or
 * is for the link's architecture, is reported when it is added to a link.
 *
 * After an error *prepared is NULL. Errors are LLDCUDA_ERROR_FILE,
 * ..._INPUT_KIND (it isn't device code, or not of its kind), ..._OUT_OF_MEMORY,
 * ..._INVALID_ARGUMENT.
 */
LLDCUDA_API lldcuda_status lldcuda_prepare(const lldcuda_input *input,
                                           lldcuda_prepared **prepared);
/** Destroys the handle. Links to which the input was added keep its contents as
 *  long as they need them, so this may be called while they run, in any thread;
 *  but not during a call of lldcuda_link_add() with this handle. NULL is
 *  ignored. */
LLDCUDA_API void lldcuda_prepared_destroy(lldcuda_prepared *prepared);

/*===-- Links -------------------------------------------------------------===*/

/**
 * Creates a link. `options` may be NULL if lldcuda_link_option() sets them.
 *
 * If an option is wrong, *link is set nevertheless: its diagnostics say what is
 * wrong, it can't be used for anything else, and it has to be destroyed. *link
 * is NULL after LLDCUDA_ERROR_OUT_OF_MEMORY and ..._INVALID_ARGUMENT.
 */
LLDCUDA_API lldcuda_status lldcuda_link_create(const lldcuda_options *options,
                                               lldcuda_link **link);

/**
 * Sets an option, which is written as for nvlink or libnvJitLink:
 * "-arch=sm_90", "-r", "-relocatable-link", "-g", "-debug", "-lto", "-dlto",
 * "-verbose", "-ignore-host-info", "-maxrregcount=32", "-kernels-used=NAME",
 * "-variables-used=NAME", "-Xptxas=OPTION", "-nvlink-release=13.5",
 * "-nvlink-compat", "-nvlink-note", "-nvjitlink-note", "-ptxas-path=FILE",
 * "-nvjitlink-path=FILE", "-temporary-directory=FOLDER", "-threads=N",
 * "-cache-dir=FOLDER". A second dash is allowed. Must be called before the
 * first input is added. Returns LLDCUDA_ERROR_OPTION if there is no such
 * option; the link is unchanged then, except for a new diagnostic.
 */
LLDCUDA_API lldcuda_status lldcuda_link_option(lldcuda_link *link,
                                               lldcuda_string option);

/**
 * Adds an input. The order of inputs has an effect on the output, as it has on
 * nvlink's command line. Errors in the input are reported at once: a wrong
 * kind, damage, another architecture, and symbols that an earlier input
 * defines, too. Errors in PTX and LTO IR, and symbols that they define a second
 * time, are reported when the link runs; for PTX with
 * LLDCUDA_INPUT_COMPILE_NOW, at once. After an error the input isn't part of
 * the link, which can go on without it.
 *
 * *number, unless `number` is NULL, is set to the input's number, by which
 * diagnostics refer to it: 1 for the first call, 2 for the second and so on,
 * counting calls that fail.
 */
LLDCUDA_API lldcuda_status lldcuda_link_add(lldcuda_link *link,
                                            const lldcuda_input *input,
                                            uint32_t *number);

/**
 * Links the inputs that were added; without any input the image has no kernel.
 * After an error there is no output. A second call returns
 * LLDCUDA_ERROR_INVALID_STATE and changes nothing.
 */
LLDCUDA_API lldcuda_status lldcuda_link_run(lldcuda_link *link);

/** Frees the link and all that it has returned. NULL is ignored. */
LLDCUDA_API void lldcuda_link_destroy(lldcuda_link *link);

/*===-- Results -----------------------------------------------------------===*/

/** The outputs of a link, for lldcuda_link_output(). */
enum {
  LLDCUDA_OUTPUT_IMAGE = 0 /* The linked cubin. */
};

/** An output's bytes. */
typedef struct lldcuda_bytes {
  const void *data; /* NULL if there is no such output. */
  size_t size;
} lldcuda_bytes;

/** Returns an output of a link that has succeeded. The bytes belong to the link
 *  and are valid until it is destroyed. */
LLDCUDA_API lldcuda_bytes lldcuda_link_output(const lldcuda_link *link,
                                              int32_t output);

/** The resources that a kernel of the image needs. */
typedef struct lldcuda_kernel {
  size_t struct_size;  /* sizeof(lldcuda_kernel) */
  lldcuda_string name; /* The mangled name. */
  uint32_t registers;  /* 32-bit registers of each thread. */
  uint32_t barriers;
  uint32_t frame; /* Local memory of the kernel itself, bytes of each thread. */
  int32_t has_dynamic_shared; /* It uses an extern __shared__ array. */
  int64_t stack;       /* Like frame, with callees; -1 if it can't be known. */
  uint64_t shared;     /* Static shared memory, in bytes of each block. */
  uint64_t parameters; /* In bytes. */
  uint64_t constants;  /* Constants made by the compiler, in bytes. */
} lldcuda_kernel;

/** Returns a struct for lldcuda_link_kernel() to fill in. */
static inline lldcuda_kernel lldcuda_kernel_init(void) {
  lldcuda_kernel value;
  memset(&value, 0, sizeof(value));
  value.struct_size = sizeof(value);
  return value;
}

/** Returns the number of kernels in the image; 0 with
 *  LLDCUDA_FLAG_RELOCATABLE. */
LLDCUDA_API size_t lldcuda_link_kernel_count(const lldcuda_link *link);
/** Sets *kernel to the resources of the kernel with that index, from 0 on, in
 *  the order of names. kernel->struct_size must be set. */
LLDCUDA_API lldcuda_status lldcuda_link_kernel(const lldcuda_link *link,
                                               size_t index,
                                               lldcuda_kernel *kernel);

/** How severe a diagnostic is, in ascending order. */
enum {
  LLDCUDA_SEVERITY_VERBATIM = 0, /* What a compiler printed, line by line. */
  LLDCUDA_SEVERITY_INFO = 10,
  LLDCUDA_SEVERITY_WARNING = 20,
  LLDCUDA_SEVERITY_ERROR = 30,
  LLDCUDA_SEVERITY_FATAL = 40 /* An error that ended the link at once. */
};

/** A diagnostic: a message of the linker, and what it is about. */
typedef struct lldcuda_diagnostic {
  size_t struct_size; /* sizeof(lldcuda_diagnostic) */
  int32_t severity;   /* LLDCUDA_SEVERITY_... */
  /** The number of the input that it is about; 0 for none, or if unknown. */
  uint32_t input;
  /** The kind of message, such as "undefined-reference". The manual lists them;
   *  they don't change. */
  lldcuda_string id;
  lldcuda_string text; /* The message as nvlink words it. */
  /** The first symbol, file, section and offset that the text names; each is
   *  empty if it names none. lldcuda_link_name() returns all. */
  lldcuda_string symbol;
  lldcuda_string file;
  lldcuda_string section;
  lldcuda_string offset; /* "0x1c": in the section, or else in the file. */
  size_t note_count;     /* Number of explanations; see lldcuda_link_note(). */
} lldcuda_diagnostic;

/** Returns a struct for lldcuda_link_diagnostic() to fill in. */
static inline lldcuda_diagnostic lldcuda_diagnostic_init(void) {
  lldcuda_diagnostic value;
  memset(&value, 0, sizeof(value));
  value.struct_size = sizeof(value);
  return value;
}

/** Returns the number of diagnostics of all calls with this link so far. They
 *  are in the order in which they were reported, and none is ever removed. */
LLDCUDA_API size_t lldcuda_link_diagnostic_count(const lldcuda_link *link);
/** Sets *diagnostic to the diagnostic with that index, from 0 on.
 *  diagnostic->struct_size must be set. */
LLDCUDA_API lldcuda_status lldcuda_link_diagnostic(
    const lldcuda_link *link, size_t index, lldcuda_diagnostic *diagnostic);
/** Returns a line that explains the diagnostic; empty if there is no such
 *  note. */
LLDCUDA_API lldcuda_string lldcuda_link_note(const lldcuda_link *link,
                                             size_t diagnostic, size_t note);

/** The sorts of names that lldcuda_link_name() returns. */
enum {
  LLDCUDA_NAME_SYMBOL = 1,
  LLDCUDA_NAME_FILE = 2,
  LLDCUDA_NAME_SECTION = 3,
  LLDCUDA_NAME_OFFSET = 4
};
/** Returns the name with that index, from 0 on, among the names of a sort in a
 *  diagnostic's text; empty if there are no more. */
LLDCUDA_API lldcuda_string lldcuda_link_name(const lldcuda_link *link,
                                             size_t diagnostic, int32_t sort,
                                             size_t index);

/** Returns all diagnostics so far as text, in the form in which the program
 *  prints them. When there are more, a later call returns a new text; the old
 *  one remains valid. */
LLDCUDA_API lldcuda_string lldcuda_link_log(lldcuda_link *link);

/*===-- Results of the program in the cache -------------------------------===*/

/** What a result depends on. */
typedef struct lldcuda_cache_key {
  size_t struct_size; /* sizeof(lldcuda_cache_key) */
  /** Texts or bytes, in this order: what sort of result it is, the source, the
   *  options. */
  const lldcuda_string *texts;
  size_t text_count;
  /** The files of the compilers that make it. Their contents count, not their
   *  paths. */
  const lldcuda_string *compilers;
  size_t compiler_count;
} lldcuda_cache_key;

/** Returns a key with struct_size set and all other fields zero. */
static inline lldcuda_cache_key lldcuda_cache_key_init(void) {
  lldcuda_cache_key value;
  memset(&value, 0, sizeof(value));
  value.struct_size = sizeof(value);
  return value;
}

/**
 * Looks in lldcuda_options.cache_directory for a result that a program has kept
 * there with lldcuda_link_cache_keep() and an equal key: this one or another,
 * with the same version of this library. *result is the result, which belongs
 * to the link, or {NULL, 0} if there is none, no cache_directory is set, or the
 * folder can't be used, which is a warning of the link. These are no errors;
 * LLDCUDA_ERROR_INVALID_ARGUMENT is returned if `result`, the key or one of its
 * strings isn't valid. May be called at any time.
 */
LLDCUDA_API lldcuda_status lldcuda_link_cache_find(lldcuda_link *link,
                                                   const lldcuda_cache_key *key,
                                                   lldcuda_bytes *result);
/**
 * Keeps a copy of a result, unless no cache_directory is set, the folder can't
 * be used or a compiler was written to since lldcuda_link_cache_find() was
 * called. A folder that can't be used is a warning of the link. Errors are
 * those of lldcuda_link_cache_find().
 */
LLDCUDA_API lldcuda_status lldcuda_link_cache_keep(lldcuda_link *link,
                                                   const lldcuda_cache_key *key,
                                                   const void *data,
                                                   size_t size);

#ifdef __cplusplus
}
#endif

#endif
