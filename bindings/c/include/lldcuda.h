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
 * The rules, for all functions:
 *
 * Handles    are lldcuda_link, one link, and lldcuda_prepared, an input that
 *            many links use. NULL is no handle: functions that return a status
 *            say LLDCUDA_ERROR_INVALID_ARGUMENT for it, the others return
 *            nothing (0, an empty string), and destroy ignores it. A handle
 *            that is destroyed must not be used again.
 * Errors     come as a status. The messages that belong to it are the link's
 *            diagnostics, and stay until the link is destroyed. After any error
 *            a link can be asked for its diagnostics, and destroyed.
 *            No function throws a C++ exception or writes to a stream. A
 *            function that fails for lack of memory returns
 *            LLDCUDA_ERROR_OUT_OF_MEMORY, and frees what it had taken, but for
 *            what a function of LLVM may hold at that moment.
 * Ownership  What is handed over is copied before the function returns; the
 *            caller may free or overwrite it at once. What is returned by
 *            pointer belongs to the handle, doesn't change, and is valid until
 *            the handle is destroyed.
 * Strings    are a pointer and a number of bytes, and need no NUL at the end;
 *            an empty string may be NULL with size 0. Those that are returned
 *            have a NUL after their last byte, and are never NULL. Texts are
 *            UTF-8 as far as the inputs' own names are.
 * Structs    begin with their size in bytes, which the caller sets (the
 *            functions _init() do): so a program runs with a newer library,
 *            whose structs are longer. What a struct of the program is too
 *            short for isn't read or written. A size below that of this
 *            header's first release, or above 4096, is an invalid argument; so
 *            is a longer struct with something in a field that the library
 *            doesn't know.
 * Enumerations are int32_t. A newer library may return values that this header
 *            doesn't have: treat an unknown status as an error, an unknown
 *            severity by its order.
 * Threads    Different handles don't share anything: any number of threads can
 *            link at once, and none waits for another, but for links of one
 *            prepared input: what several need of it at the same moment is made
 *            once. A handle has a mutex, so several threads may use one
 *            handle; each call is done as a whole. A prepared input can be used
 *            by any number of links in any threads. Destroying a handle while
 *            another thread's call with it runs is an error of the program;
 *            links that a prepared input was added to don't need its handle any
 *            more.
 *            A link of many or large inputs starts threads of its own, which
 *            end before the call returns; lldcuda_options.threads limits them.
 *            The stack of the calling thread may be small: 64 KB are enough.
 * Fork       After fork() the child may use the library, and the handles that
 *            no other thread was using: of prepared inputs those that no other
 *            thread's link was using. No thread outlives a call.
 * Process    The library reads no environment variable, installs no handler,
 *            changes no signal, locale or working directory, and has no state
 *            of a link beside the handles. It reads the files that inputs name,
 *            and writes none, but for compilers: their files are in a directory
 *            below lldcuda_options.temporary_directory, and go before the call
 *            returns; and in lldcuda_options.cache_directory, if there is one.
 *
 * This is version 0 of the interface: until a release says 1.0, functions may
 * still change. SONAME and symbol version then change with them.
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

typedef struct lldcuda_link lldcuda_link;
typedef struct lldcuda_prepared lldcuda_prepared;

typedef struct lldcuda_string {
  const char *data; /* NULL only if size is 0. */
  size_t size;      /* In bytes, without a NUL. */
} lldcuda_string;

/** A C string as lldcuda_string; NULL becomes the empty string. */
static inline lldcuda_string lldcuda_str(const char *text) {
  lldcuda_string string;
  string.data = text;
  string.size = text ? strlen(text) : 0;
  return string;
}

/*===-- Status ------------------------------------------------------------===*/

typedef int32_t lldcuda_status;
enum {
  LLDCUDA_OK = 0,
  /** NULL where that isn't allowed, an unknown value of an enumeration, a
   *  struct that is too short: the program is wrong. There may be no message.
   */
  LLDCUDA_ERROR_INVALID_ARGUMENT = 1,
  /** The call comes too late: adding or running after lldcuda_link_run() or
   *  after options that were wrong, or setting options after the first input.
   */
  LLDCUDA_ERROR_INVALID_STATE = 2,
  /** There is no more memory, or lldcuda_options.memory_limit is reached. */
  LLDCUDA_ERROR_OUT_OF_MEMORY = 3,
  /** A bug of the linker. */
  LLDCUDA_ERROR_INTERNAL = 4,

  /* Options. */
  /** No such option, or not with that value. */
  LLDCUDA_ERROR_OPTION = 10,
  /** No target: lldcuda_options.arch is empty. */
  LLDCUDA_ERROR_NO_ARCH = 11,
  /** A target that is written correctly, but isn't known. */
  LLDCUDA_ERROR_UNKNOWN_ARCH = 12,
  /** Options that contradict each other. */
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
  /** The input can't be linked by the rules of the release: it is newer, or
   *  too old. */
  LLDCUDA_ERROR_INPUT_RELEASE = 24,
  /** LTO IR, but lldcuda_options doesn't ask for LTO. */
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

/** Returns a word for a status, such as "damaged-input", or "unknown" if there
 *  is no such status. Never NULL; valid as long as the library is loaded. */
LLDCUDA_API const char *lldcuda_status_name(lldcuda_status status);

/*===-- The library -------------------------------------------------------===*/

/** Returns the library's version, such as "0.1.0"; valid as long as it is
 *  loaded. */
LLDCUDA_API const char *lldcuda_version(void);

/** Returns the version of the interface that the library has, to be compared
 *  with LLDCUDA_INTERFACE_VERSION. */
LLDCUDA_API int32_t lldcuda_interface_version(void);

/*===-- Options -----------------------------------------------------------===*/

/** What the image's note (.note.nv.tkinfo) names as its linker. */
enum {
  LLDCUDA_NOTE_OWN = 0,      /* This linker. */
  LLDCUDA_NOTE_NVLINK = 1,   /* As nvlink writes it. */
  LLDCUDA_NOTE_NVJITLINK = 2 /* As libnvJitLink writes it. */
};

enum {
  /** A relocatable image, which can be linked again: nvlink's -r. */
  LLDCUDA_FLAG_RELOCATABLE = 1u << 0,
  /** nvlink's -g: debug information of PTX, and no dead code is dropped. */
  LLDCUDA_FLAG_DEBUG = 1u << 1,
  /** Inputs may be LTO IR. */
  LLDCUDA_FLAG_LTO = 1u << 2,
  /** The image has nvlink's bytes except for the note, its mistakes
   *  included. */
  LLDCUDA_FLAG_EXACT = 1u << 3,
  /** nvlink's -v: what the image and its kernels need, as diagnostics. */
  LLDCUDA_FLAG_VERBOSE = 1u << 4,
  /** nvlink's -ignore-host-info: kernels and variables stay that no host code
   *  of the objects refers to. */
  LLDCUDA_FLAG_IGNORE_HOST_INFO = 1u << 5
};

/** A compiler that the program brings along; see lldcuda_compile_fn. */
typedef struct lldcuda_compile_result lldcuda_compile_result;

typedef struct lldcuda_compile_request {
  size_t struct_size;
  int32_t kind;          /* What is to be compiled: LLDCUDA_INPUT_PTX. */
  uint32_t input;        /* Its number, from 1 on; 0: not known. */
  lldcuda_string source; /* There is a NUL after the last byte. */
  lldcuda_string arch;   /* "sm_90". */
  lldcuda_string name;   /* As messages name the input. */
  /** What ptxas would be called with beside -arch: "-m64", "-c", those that
   *  the input was compiled with, those of lldcuda_options. */
  const lldcuda_string *options;
  size_t option_count;
} lldcuda_compile_request;

/**
 * Compiles PTX to a relocatable cubin (as `ptxas -c` does), which it hands over
 * with lldcuda_compile_set_output(). Returns 0 for success; anything else is an
 * error of the link (LLDCUDA_ERROR_PTX), whatever was handed over.
 *
 * It is called within lldcuda_link_run(), by several threads at once if there
 * are several inputs to compile; for LLDCUDA_INPUT_COMPILE_NOW within
 * lldcuda_link_add(). It must not use the link's handle, whose mutex
 * is locked, and must return: no longjmp(), no exception. `request` and what it
 * refers to, and `result`, are valid until it returns.
 */
typedef int32_t (*lldcuda_compile_fn)(void *user,
                                      const lldcuda_compile_request *request,
                                      lldcuda_compile_result *result);

/** Hands over the cubin, which is copied. A second call replaces it. */
LLDCUDA_API lldcuda_status lldcuda_compile_set_output(
    lldcuda_compile_result *result, const void *data, size_t size);
/** Hands over what the compiler says, lines as ptxas prints them: it becomes a
 *  diagnostic of the severity LLDCUDA_SEVERITY_VERBATIM. */
LLDCUDA_API lldcuda_status
lldcuda_compile_set_log(lldcuda_compile_result *result, lldcuda_string text);

typedef struct lldcuda_options {
  size_t struct_size; /* sizeof(lldcuda_options) */
  /** The target: "sm_90", "sm_90a". Required, here or as an option string. */
  lldcuda_string arch;
  /** Whose nvlink's rules apply: "13.5.37", "13.5", "newest". Empty: the
   *  inputs choose. */
  lldcuda_string release;
  uint32_t flags; /* LLDCUDA_FLAG_... */
  int32_t note;   /* LLDCUDA_NOTE_... */
  /** Kernels to keep: all whose name contains one of these. NULL: all are
   *  kept. The variables: the same for those. As nvlink's --kernels-used and
   *  --variables-used: if only variables are named, no kernel is kept. */
  const lldcuda_string *kernels_used;
  size_t kernels_used_count;
  const lldcuda_string *variables_used;
  size_t variables_used_count;
  /** For PTX: the callback; without one the program at ptxas_path. With
   *  neither, PTX is an error. Nothing is searched for. */
  lldcuda_compile_fn compile;
  void *compile_user;
  lldcuda_string ptxas_path;
  const lldcuda_string *ptxas_options; /* Further arguments for ptxas. */
  size_t ptxas_options_count;
  int32_t max_registers; /* ptxas's -maxrregcount; 0: no limit. */
  uint32_t threads;      /* The most; 0: as many as there are processors. */
  /** For LTO IR: NVIDIA's libnvJitLink.so, which a process of its own loads. */
  lldcuda_string nvjitlink_path;
  /** For compilers. Empty: /tmp. A string of options with a NUL in it is
   *  LLDCUDA_ERROR_OPTION. */
  lldcuda_string temporary_directory;
  /** How many bytes the link may hold at a time, its inputs and outputs
   *  included; 0: half of what the machine, or RLIMIT_AS or the cgroup, have.
   *  Memory is charged before it is taken. Beyond the limit the call ends with
   *  LLDCUDA_ERROR_OUT_OF_MEMORY, and what it had taken is freed. What
   *  lldcuda_prepare() takes doesn't count, nor do compilers. */
  uint64_t memory_limit;
  /** A folder in which the results of ptxas and libnvJitLink are cached, for
   *  later links of any process of this user. If others may write to it, it
   *  isn't used, and there is a warning. It is created if it doesn't exist.
   *  Empty: nothing is cached. What a callback compiles isn't cached. */
  lldcuda_string cache_directory;
} lldcuda_options;

/** Returns options of which nothing is set but the struct's size. */
static inline lldcuda_options lldcuda_options_init(void) {
  lldcuda_options value;
  memset(&value, 0, sizeof(value));
  value.struct_size = sizeof(value);
  return value;
}

/*===-- Inputs ------------------------------------------------------------===*/

/** What an input is. */
enum {
  LLDCUDA_INPUT_ANY = 0, /* Its contents tell. */
  LLDCUDA_INPUT_CUBIN = 1,
  LLDCUDA_INPUT_PTX = 2,   /* Ends at the first NUL, if there is one. */
  LLDCUDA_INPUT_LTOIR = 3, /* NVIDIA's. */
  LLDCUDA_INPUT_FATBIN = 4,
  LLDCUDA_INPUT_OBJECT = 5, /* With host code and fatbins; or a cubin. */
  LLDCUDA_INPUT_ARCHIVE = 6 /* Of objects; all members take part. */
};

enum {
  /** As libcudadevrt on a command line: takes part only if something is
   *  undefined by then. */
  LLDCUDA_INPUT_IF_NEEDED = 1u << 0,
  /** PTX is compiled when it is added, so that its errors are told then. That
   *  in fatbins and objects is compiled with the link, as ever. */
  LLDCUDA_INPUT_COMPILE_NOW = 1u << 1
};

/** An input: bytes, a file, or a prepared input; one of `data`, `path` and
 *  `prepared` is set. None of them: no bytes, which are no device code. */
typedef struct lldcuda_input {
  size_t struct_size; /* sizeof(lldcuda_input) */
  int32_t kind;       /* LLDCUDA_INPUT_...; of a prepared input: not used. */
  uint32_t flags;     /* LLDCUDA_INPUT_IF_NEEDED, ... */
  const void *data;
  size_t size;
  /** Read within the call. Its suffix means nothing. What isn't a regular
   *  file, such as a pipe, is LLDCUDA_ERROR_FILE. */
  lldcuda_string path;
  lldcuda_prepared *prepared;
  /** For messages only. Empty: the path, or the name that a prepared input was
   *  given; without those "<input 3>". Two inputs may have the same name. */
  lldcuda_string name;
} lldcuda_input;

/** Returns an input of which nothing is set but the struct's size. */
static inline lldcuda_input lldcuda_input_init(void) {
  lldcuda_input value;
  memset(&value, 0, sizeof(value));
  value.struct_size = sizeof(value);
  return value;
}

/**
 * Reads an input once for many links: bytes or a file (not `prepared`), without
 * flags, which are for lldcuda_link_add(). Its contents are owned by *prepared
 * and never change. What links have found out about them - members of archives,
 * decompressed code, checked cubins - is kept for the next ones. Whether the
 * input is damaged or for the architecture is said when a link adds it.
 *
 * An error leaves *prepared NULL: LLDCUDA_ERROR_FILE, ..._INPUT_KIND (it is no
 * device code, or not of its kind), ..._OUT_OF_MEMORY, ..._INVALID_ARGUMENT.
 */
LLDCUDA_API lldcuda_status lldcuda_prepare(const lldcuda_input *input,
                                           lldcuda_prepared **prepared);
/** Destroys the handle. Links that the input was added to keep it as long as
 *  they need it, so this is safe while they run, in any thread; but not during
 *  a call of lldcuda_link_add() with this handle. NULL is ignored. */
LLDCUDA_API void lldcuda_prepared_destroy(lldcuda_prepared *prepared);

/*===-- Links -------------------------------------------------------------===*/

/**
 * Makes a link. `options` may be NULL, if option strings follow.
 *
 * *link is set whenever there is memory for it, also if an option is wrong: its
 * diagnostics tell what is, the link can't do anything else, and it has to be
 * destroyed all the same. It is NULL after ..._OUT_OF_MEMORY and
 * ..._INVALID_ARGUMENT.
 */
LLDCUDA_API lldcuda_status lldcuda_link_create(const lldcuda_options *options,
                                               lldcuda_link **link);

/**
 * Sets an option, written as nvlink and libnvJitLink have them: "-arch=sm_90",
 * "-r", "-relocatable-link", "-g", "-debug", "-lto", "-dlto", "-verbose",
 * "-ignore-host-info", "-maxrregcount=32", "-kernels-used=NAME",
 * "-variables-used=NAME", "-Xptxas=OPTION", "-nvlink-release=13.5",
 * "-nvlink-compat", "-nvlink-note", "-nvjitlink-note", "-ptxas-path=FILE",
 * "-nvjitlink-path=FILE", "-temporary-directory=FOLDER", "-threads=N",
 * "-cache-dir=FOLDER". A second dash is allowed. Options come before the first
 * input. LLDCUDA_ERROR_OPTION: there is no such option; the link stays as it
 * was, and has a diagnostic.
 */
LLDCUDA_API lldcuda_status lldcuda_link_option(lldcuda_link *link,
                                               lldcuda_string option);

/**
 * Adds an input. The order of inputs is that of nvlink's command line, and has
 * an effect on the output. What is wrong with it is said here: its kind,
 * damage, architecture, and symbols that an input before it has defined, too.
 * What compilers find in PTX and LTO IR, and what that defines for a second
 * time, is said when the link runs; of PTX with LLDCUDA_INPUT_COMPILE_NOW here.
 * An input that is wrong isn't part of the link, which can go on without it.
 *
 * `number`, if it isn't NULL, gets the input's number, by which diagnostics
 * refer to it: 1 for the first call, and one more for each, failed ones too.
 */
LLDCUDA_API lldcuda_status lldcuda_link_add(lldcuda_link *link,
                                            const lldcuda_input *input,
                                            uint32_t *number);

/**
 * Links what was added; without any input the image has no kernel. Once only:
 * a second call returns LLDCUDA_ERROR_INVALID_STATE, and changes nothing.
 * After an error there is no output.
 */
LLDCUDA_API lldcuda_status lldcuda_link_run(lldcuda_link *link);

/** Frees the link and all that it has returned. NULL is ignored. */
LLDCUDA_API void lldcuda_link_destroy(lldcuda_link *link);

/*===-- Results -----------------------------------------------------------===*/

enum {
  LLDCUDA_OUTPUT_IMAGE = 0 /* The linked cubin. */
};

typedef struct lldcuda_bytes {
  const void *data; /* NULL: there is none. */
  size_t size;
} lldcuda_bytes;

/** Returns an output of a link that has succeeded. It isn't copied: it belongs
 *  to the link and is valid until the link is destroyed. */
LLDCUDA_API lldcuda_bytes lldcuda_link_output(const lldcuda_link *link,
                                              int32_t output);

typedef struct lldcuda_kernel {
  size_t struct_size;  /* sizeof(lldcuda_kernel) */
  lldcuda_string name; /* As in the image: mangled. */
  uint32_t registers;  /* 32-bit registers of a thread. */
  uint32_t barriers;
  uint32_t frame; /* Local memory of the kernel itself, bytes a thread. */
  int32_t has_dynamic_shared;
  int64_t stack;       /* The same with all it calls; -1: it can't be known. */
  uint64_t shared;     /* Statically declared shared memory, bytes a block. */
  uint64_t parameters; /* Bytes. */
  uint64_t constants;  /* Compiler-made constants, bytes. */
} lldcuda_kernel;

/** Returns an empty struct, with its size set, to be filled in. */
static inline lldcuda_kernel lldcuda_kernel_init(void) {
  lldcuda_kernel value;
  memset(&value, 0, sizeof(value));
  value.struct_size = sizeof(value);
  return value;
}

/** Returns how many kernels the image has; 0 with LLDCUDA_FLAG_RELOCATABLE. */
LLDCUDA_API size_t lldcuda_link_kernel_count(const lldcuda_link *link);
/** Tells what a kernel needs. Kernels are in the order of their names.
 *  kernel->struct_size must be set. */
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
  int32_t severity;
  /** The number of the input that it is about; 0: none, or not known. */
  uint32_t input;
  /** What it is, such as "undefined-reference". The manual lists them; they
   *  don't change. */
  lldcuda_string id;
  lldcuda_string text; /* nvlink's words. */
  /** What the text names first of each; empty: nothing. */
  lldcuda_string symbol;
  lldcuda_string file;
  lldcuda_string section;
  lldcuda_string offset; /* "0x1c", in the section, else in the file. */
  size_t note_count;     /* Explanations; lldcuda_link_note(). */
} lldcuda_diagnostic;

/** Returns an empty struct, with its size set, to be filled in. */
static inline lldcuda_diagnostic lldcuda_diagnostic_init(void) {
  lldcuda_diagnostic value;
  memset(&value, 0, sizeof(value));
  value.struct_size = sizeof(value);
  return value;
}

/** Returns the number of diagnostics of all calls with this link so far. They
 *  are in the order in which they were reported, and none is ever removed. */
LLDCUDA_API size_t lldcuda_link_diagnostic_count(const lldcuda_link *link);
/** Returns a diagnostic. diagnostic->struct_size must be set. */
LLDCUDA_API lldcuda_status lldcuda_link_diagnostic(
    const lldcuda_link *link, size_t index, lldcuda_diagnostic *diagnostic);
/** Returns a line that explains the diagnostic; empty if there is no such
 *  note. */
LLDCUDA_API lldcuda_string lldcuda_link_note(const lldcuda_link *link,
                                             size_t diagnostic, size_t note);

/** What lldcuda_link_name() returns. */
enum {
  LLDCUDA_NAME_SYMBOL = 1,
  LLDCUDA_NAME_FILE = 2,
  LLDCUDA_NAME_SECTION = 3,
  LLDCUDA_NAME_OFFSET = 4
};
/** Returns one of the names of a sort that are in a diagnostic's text, in the
 *  text's order; empty if there are no more. */
LLDCUDA_API lldcuda_string lldcuda_link_name(const lldcuda_link *link,
                                             size_t diagnostic, int32_t sort,
                                             size_t index);

/** Returns all diagnostics as text, as the linker's program prints them. A
 *  later call, when there are more, returns a new text; the old one remains
 *  valid. */
LLDCUDA_API lldcuda_string lldcuda_link_log(lldcuda_link *link);

#ifdef __cplusplus
}
#endif

#endif
