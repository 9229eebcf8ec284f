/*
 * Passes the messages of a service on to its service manager: each line of the input becomes one datagram to the socket that
 * NOTIFY_SOCKET names (sd_notify(3)). Node has no sockets of this kind. It ends when its input ends, and so with its service.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(void) {
  const char *path = getenv("NOTIFY_SOCKET");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (path == NULL || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof address.sun_path) {
    fprintf(stderr, "lcs-notify: NOTIFY_SOCKET names no socket.\n");
    return 1;
  }
  memcpy(address.sun_path, path, strlen(path));
  /* An abstract address begins with a zero byte. */
  if (path[0] == '@') address.sun_path[0] = '\0';
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));

  int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (manager < 0) {
    fprintf(stderr, "lcs-notify: no socket: %s.\n", strerror(errno));
    return 1;
  }
  char line[512];
  while (fgets(line, sizeof line, stdin) != NULL) {
    size_t size = strcspn(line, "\n");
    if (sendto(manager, line, size, 0, (struct sockaddr *)&address, length) < 0)
      fprintf(stderr, "lcs-notify: the service manager was not reached: %s.\n", strerror(errno));
  }
  return 0;
}
