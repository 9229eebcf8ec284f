/*
 * Stands for the kernel's i2c-dev in a program that is started with LD_PRELOAD: /dev/i2c-<n> is a connection to the Unix socket that
 * LCS_I2C_SOCKET names, and each call a line on it. What the kernel would put on the wire is what the line has:
 *
 *   open 1                  open("/dev/i2c-1")
 *   slave 48                ioctl(I2C_SLAVE)
 *   48 w0483 r2             a transfer with address 48: messages that are written, and lengths of those that are read
 *
 * The answer is "ok", followed by what was read, or "errno <number>". The kernel makes transfers of SMBus calls by
 * i2c_smbus_xfer_emulated (drivers/i2c/i2c-core-smbus.c); a device without an address has address 0.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

enum { most_files = 4096, line_size = 4096, is_bus_flag = 0x100 };

/* Address of each file that is a bus, with the flag. Node closes files without the C library: the peer tells whether it still is one. */
static unsigned short files[most_files];
/* The kernel has one lock for each bus. */
static pthread_mutex_t bus = PTHREAD_MUTEX_INITIALIZER;

#define REAL(result, name, ...) \
  static result (*real_##name)(__VA_ARGS__) = NULL; \
  if (real_##name == NULL) real_##name = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

static ssize_t system_read(int file, void *bytes, size_t size) {
  REAL(ssize_t, read, int, void *, size_t);
  return real_read(file, bytes, size);
}

static ssize_t system_write(int file, const void *bytes, size_t size) {
  REAL(ssize_t, write, int, const void *, size_t);
  return real_write(file, bytes, size);
}

static int is_bus(int file) {
  if (file < 0 || file >= most_files || files[file] == 0) return 0;
  const char *path = getenv("LCS_I2C_SOCKET");
  struct sockaddr_un peer = {0};
  socklen_t size = sizeof peer;
  if (path != NULL && getpeername(file, (struct sockaddr *)&peer, &size) == 0 && strcmp(peer.sun_path, path) == 0) return 1;
  files[file] = 0;
  return 0;
}

/* One line there, one back, without its end. Negative: errno. */
static int ask(int file, const char *line, char *answer) {
  size_t size = strlen(line), at = 0;
  pthread_mutex_lock(&bus);
  int failed = system_write(file, line, size) != (ssize_t)size;
  while (!failed && (at == 0 || answer[at - 1] != '\n')) {
    ssize_t got = at < line_size - 1 ? system_read(file, answer + at, line_size - 1 - at) : 0;
    failed = got <= 0;
    if (!failed) at += (size_t)got;
  }
  pthread_mutex_unlock(&bus);
  if (failed) return -ENODEV;
  answer[at - 1] = '\0';
  int number = 0;
  if (sscanf(answer, "errno %d", &number) == 1) return -number;
  return 0;
}

static int result_of(int value) {
  if (value >= 0) return value;
  errno = -value;
  return -1;
}

static int transfer(int file, const struct i2c_msg *messages, size_t count) {
  char line[line_size], answer[line_size];
  int at = sprintf(line, "%02x", messages[0].addr);
  for (size_t m = 0; m < count; m++) {
    if (messages[m].flags & I2C_M_RD) {
      at += sprintf(line + at, " r%d", messages[m].len);
    } else {
      at += sprintf(line + at, " w");
      for (int b = 0; b < messages[m].len; b++) at += sprintf(line + at, "%02x", messages[m].buf[b]);
    }
  }
  strcpy(line + at, "\n");
  int failure = ask(file, line, answer);
  if (failure < 0) return failure;
  const char *hex = strchr(answer, ' ');
  hex = hex == NULL ? "" : hex + 1;
  for (size_t m = 0; m < count; m++) {
    if (!(messages[m].flags & I2C_M_RD)) continue;
    for (int b = 0; b < messages[m].len; b++, hex += 2) {
      unsigned byte;
      if (sscanf(hex, "%2x", &byte) != 1) return -EIO;
      messages[m].buf[b] = (unsigned char)byte;
    }
  }
  return (int)count;
}

static int smbus(int file, struct i2c_smbus_ioctl_data *call) {
  unsigned char out[2 + I2C_SMBUS_BLOCK_MAX] = {call->command}, in[I2C_SMBUS_BLOCK_MAX] = {0};
  unsigned short address = files[file] & 0xff;
  int is_read = call->read_write == I2C_SMBUS_READ;
  unsigned short written = 1, read = 0;
  switch (call->size) {
    case I2C_SMBUS_QUICK:
      written = 0;
      break;
    case I2C_SMBUS_BYTE:
      if (is_read) written = 0, read = 1;
      break;
    case I2C_SMBUS_BYTE_DATA:
      if (is_read) read = 1;
      else out[1] = call->data->byte, written = 2;
      break;
    case I2C_SMBUS_WORD_DATA:
      if (is_read) read = 2;
      else out[1] = call->data->word & 0xff, out[2] = call->data->word >> 8, written = 3;
      break;
    case I2C_SMBUS_I2C_BLOCK_BROKEN:
      if (is_read) call->data->block[0] = I2C_SMBUS_BLOCK_MAX;
      /* fall through */
    case I2C_SMBUS_I2C_BLOCK_DATA:
      if (call->data->block[0] > I2C_SMBUS_BLOCK_MAX) return -EINVAL;
      if (is_read) read = call->data->block[0];
      else memcpy(out + 1, call->data->block + 1, call->data->block[0]), written = 1 + call->data->block[0];
      break;
    default:
      return -EOPNOTSUPP;
  }
  struct i2c_msg messages[2] = {
      {.addr = address, .flags = 0, .len = written, .buf = out},
      {.addr = address, .flags = I2C_M_RD, .len = read, .buf = in},
  };
  int is_quick_read = call->size == I2C_SMBUS_QUICK && is_read;
  int has_write = written > 0 || (call->size == I2C_SMBUS_QUICK && !is_read);
  int has_read = read > 0 || is_quick_read;
  int done = transfer(file, has_write ? messages : messages + 1, (size_t)(has_write + has_read));
  if (done < 0) return done;
  if (!is_read || read == 0) return 0;
  if (call->size == I2C_SMBUS_WORD_DATA) call->data->word = (unsigned short)(in[0] | in[1] << 8);
  else if (read == 1 && call->size != I2C_SMBUS_I2C_BLOCK_DATA) call->data->byte = in[0];
  else memcpy(call->data->block + 1, in, read);
  return 0;
}

int ioctl(int file, unsigned long request, ...) {
  REAL(int, ioctl, int, unsigned long, void *);
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (!is_bus(file)) return real_ioctl(file, request, argument);
  switch (request) {
    case I2C_SLAVE:
    case I2C_SLAVE_FORCE: {
      char line[32], answer[line_size];
      unsigned address = (unsigned)(unsigned long)argument;
      sprintf(line, "slave %02x\n", address);
      int failure = ask(file, line, answer);
      if (failure == 0) files[file] = (unsigned short)(is_bus_flag | address);
      return result_of(failure);
    }
    case I2C_FUNCS:
      *(unsigned long *)argument = I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
      return 0;
    case I2C_SMBUS:
      return result_of(smbus(file, argument));
    case I2C_RDWR: {
      const struct i2c_rdwr_ioctl_data *call = argument;
      return result_of(call->nmsgs == 0 ? 0 : transfer(file, call->msgs, call->nmsgs));
    }
    default:
      return result_of(-ENOTTY);
  }
}

ssize_t read(int file, void *bytes, size_t size) {
  if (!is_bus(file)) return system_read(file, bytes, size);
  struct i2c_msg message = {files[file] & 0xff, I2C_M_RD, (unsigned short)size, bytes};
  int done = transfer(file, &message, 1);
  return done < 0 ? result_of(done) : (ssize_t)size;
}

ssize_t write(int file, const void *bytes, size_t size) {
  if (!is_bus(file)) return system_write(file, bytes, size);
  struct i2c_msg message = {files[file] & 0xff, 0, (unsigned short)size, (unsigned char *)bytes};
  int done = transfer(file, &message, 1);
  return done < 0 ? result_of(done) : (ssize_t)size;
}

static int open_bus(int number) {
  char line[32], answer[line_size];
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *path = getenv("LCS_I2C_SOCKET");
  if (path == NULL) return result_of(-ENOENT);
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  sprintf(line, "open %d\n", number);
  int failure = connect(file, (struct sockaddr *)&address, sizeof address) < 0 ? -errno : ask(file, line, answer);
  if (failure == 0 && file >= most_files) failure = -EMFILE;
  if (failure < 0) {
    close(file);
    return result_of(failure);
  }
  files[file] = is_bus_flag;
  return file;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(int, name, const char *, int, ...); \
    int number, end = 0; \
    if (sscanf(path, "/dev/i2c-%d%n", &number, &end) == 1 && path[end] == '\0') return open_bus(number); \
    va_list arguments; \
    va_start(arguments, flags); \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0; \
    va_end(arguments); \
    return real_##name(path, flags, mode); \
  }

OPEN(open)
OPEN(open64)
