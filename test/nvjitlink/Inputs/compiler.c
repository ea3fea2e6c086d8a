/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In place of NVIDIA's libnvJitLink 13.5: whatever it gets, nvJitLinkComplete()
 * makes the contents of the file $MAKES of it, says so in the info log, and
 * adds a line to the file $STARTS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char Said[] = "info    : compiled\n";

struct job {
  char *bytes;
  size_t size;
};

int nvJitLinkVersion(unsigned *major, unsigned *minor) {
  *major = 13;
  *minor = 5;
  return 0;
}
int nvJitLinkCreate(struct job **job, unsigned count, const char **options) {
  (void)count, (void)options;
  *job = calloc(1, sizeof(**job));
  return 0;
}
int nvJitLinkDestroy(struct job **job) {
  free((*job)->bytes);
  free(*job);
  *job = NULL;
  return 0;
}
int nvJitLinkAddData(struct job *job, int type, const void *data, size_t size,
                     const char *name) {
  (void)job, (void)type, (void)data, (void)size, (void)name;
  return 0;
}
int nvJitLinkComplete(struct job *job) {
  FILE *made = fopen(getenv("MAKES"), "rb"), *starts;
  job->bytes = malloc(1 << 20);
  job->size = fread(job->bytes, 1, 1 << 20, made);
  fclose(made);
  starts = fopen(getenv("STARTS"), "a");
  fputs("started\n", starts);
  fclose(starts);
  return 0;
}
int nvJitLinkGetLinkedCubinSize(struct job *job, size_t *size) {
  *size = job->size;
  return 0;
}
int nvJitLinkGetLinkedCubin(struct job *job, void *bytes) {
  memcpy(bytes, job->bytes, job->size);
  return 0;
}
int nvJitLinkGetInfoLogSize(struct job *job, size_t *size) {
  *size = job->bytes ? sizeof(Said) : 0;
  return 0;
}
int nvJitLinkGetInfoLog(struct job *job, char *text) {
  (void)job;
  memcpy(text, Said, sizeof(Said));
  return 0;
}
int nvJitLinkGetErrorLogSize(struct job *job, size_t *size) {
  (void)job;
  *size = 0;
  return 0;
}
int nvJitLinkGetErrorLog(struct job *job, char *text) {
  (void)job, (void)text;
  return 0;
}
int nvJitLinkGetLinkedPtxSize(struct job *job, size_t *size) {
  (void)job, (void)size;
  return 6;
}
int nvJitLinkGetLinkedPtx(struct job *job, char *text) {
  (void)job, (void)text;
  return 6;
}
