/* A native PI that tries what a run must not do, without a library: offender NAME key=value...
   Prints one document; `parameters` tells what succeeded. */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *value(int argc, char **argv, const char *name) {
  for (int i = 2; i < argc; ++i)
    if (strncmp(argv[i], name, strlen(name)) == 0 && argv[i][strlen(name)] == '=') return argv[i] + strlen(name) + 1;
  return "";
}

static int connects(const char *address, int port) {
  struct sockaddr_in to = {0};
  to.sin_family = AF_INET;
  to.sin_port = htons((unsigned short)port);
  inet_pton(AF_INET, address, &to.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
}

static int writes(const char *directory) {
  char file[4096];
  snprintf(file, sizeof file, "%s/stackx-escaped", directory);
  const int fd = open(file, O_WRONLY | O_CREAT, 0600);
  return fd >= 0 && write(fd, "x", 1) == 1;
}

static int reads(const char *file) {
  char byte;
  const int fd = open(file, O_RDONLY);
  return fd >= 0 && read(fd, &byte, 1) == 1;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "fork") == 0)
    for (;;) fork();
  printf("{\"name\": \"offender\", \"component\": \"offender\", \"samples_ns\": [1000, 1001], \"parameters\": {");
  printf("\"network\": %s, \"read\": %s", connects(value(argc, argv, "address"), atoi(value(argc, argv, "port"))) ? "true" : "false",
         reads(value(argc, argv, "secret")) ? "true" : "false");
  const char *directories[] = {"/", "/usr", "/etc", value(argc, argv, "home")};
  for (int i = 0; i < 4; ++i) printf(", \"write%d\": %s", i, writes(directories[i]) ? "true" : "false");
  printf(", \"scratch\": %s}}\n", writes("/tmp") ? "true" : "false");
  return 0;
}
