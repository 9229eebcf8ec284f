/*
 * Switches off every output of the board after the service of its unit has ended, however it ended (ExecStopPost). It is
 * small, starts in a millisecond and needs no Node: PWM channels first (heater, pumps, stirrer), then the LEDs.
 *
 * Outputs that the overlay lcs-outputs made LEDs of the kernel get the brightness 0, which also removes their trigger. Each PWM channel
 * that was exported to user space is set to duty 0 (kernel documentation, ABI/testing/sysfs-class-pwm).
 * The unit writes which chip drives its LEDs into the file `leds` of its runtime folder: "controller 1 44" or
 * "dac43608 1 73" (chip, number of the I2C bus, address). Argument: another root folder, for tests.
 *
 * What fails is tried again until five seconds have passed; a transfer of a hung I2C bus that began before may end some seconds later.
 * Exit code 0: everything is off; 1: the named outputs could not be switched off.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/i2c-dev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { path_size = 512, led_count = 4 };
/* The channels alone are tried for a second: LEDs move no liquid, and a hung I2C bus takes a second or more for each transfer. */
enum { limit_ms = 5000, channels_first_ms = 1000, pause_us = 100000 };

/* What failed when it was tried last. */
struct failures {
  int count;
  char text[4 * path_size];
};
static struct failures channels, leds;
static long long began_ms;

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static long long passed_ms(void) { return now_ms() - began_ms; }

static void add(struct failures *failures, const char *output) {
  const char *reason = strerror(errno);
  size_t used = strlen(failures->text);
  failures->count++;
  snprintf(failures->text + used, sizeof failures->text - used, "lcs-outputs-off: %s could not be switched off: %s.\n", output, reason);
}

static int has_no_period(const char *channel) {
  char path[path_size], text[32] = "";
  snprintf(path, sizeof path, "%s/period", channel);
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0;
  if (fgets(text, sizeof text, file) == NULL) text[0] = '\0';
  fclose(file);
  return strcmp(text, "0\n") == 0;
}

static void switch_channel_off(const char *channel) {
  /* The kernel refuses any duty of a channel that never had a period: it is off. */
  if (has_no_period(channel)) return;
  char path[path_size];
  snprintf(path, sizeof path, "%s/duty_cycle", channel);
  int file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0 || write(file, "0\n", 2) != 2) add(&channels, channel);
  if (file >= 0) close(file);
}

static void switch_channels_off(const char *root) {
  char pattern[path_size];
  snprintf(pattern, sizeof pattern, "%s/sys/class/pwm/pwmchip*/pwm[0-9]*", root);
  glob_t channels;
  if (glob(pattern, 0, NULL, &channels) != 0) return;
  for (size_t at = 0; at < channels.gl_pathc; at++) switch_channel_off(channels.gl_pathv[at]);
  globfree(&channels);
}

static void switch_kernel_leds_off(const char *root) {
  char pattern[path_size];
  snprintf(pattern, sizeof pattern, "%s/sys/class/leds/lcs:pwm*/brightness", root);
  glob_t outputs;
  if (glob(pattern, 0, NULL, &outputs) != 0) return;
  for (size_t at = 0; at < outputs.gl_pathc; at++) {
    int file = open(outputs.gl_pathv[at], O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (file < 0 || write(file, "0\n", 2) != 2) add(&channels, outputs.gl_pathv[at]);
    if (file >= 0) close(file);
  }
  globfree(&outputs);
}

static void switch_all_channels_off(const char *root) {
  channels = (struct failures){0};
  switch_kernel_leds_off(root);
  switch_channels_off(root);
}

static void led_failed(void) {
  if (leds.count == 0) add(&leds, "the LEDs");
}

static void write_register(const char *root, int bus, const unsigned char *bytes, size_t size) {
  if (passed_ms() >= limit_ms) {
    errno = ETIMEDOUT;
    led_failed();
    return;
  }
  /* The transfer may take seconds. */
  if (channels.count > 0) switch_all_channels_off(root);
  if (write(bus, bytes, size) != (ssize_t)size) led_failed();
}

static void switch_leds_off(const char *root) {
  leds = (struct failures){0};
  char path[path_size], chip[16];
  int bus_number, address;
  const char *runtime = getenv("RUNTIME_DIRECTORY");
  snprintf(path, sizeof path, "%s%s/leds", root, runtime != NULL ? runtime : "/run/lcs-unit");
  FILE *file = fopen(path, "r");
  /* A unit that has not opened its board has switched no LED on; a simulated board has none. */
  if (file == NULL) return;
  int fields = fscanf(file, "%15s %d %d", chip, &bus_number, &address);
  fclose(file);
  int is_controller = fields == 3 && strcmp(chip, "controller") == 0;
  if (fields != 3 || (!is_controller && strcmp(chip, "dac43608") != 0)) {
    errno = EINVAL;
    led_failed();
    return;
  }
  snprintf(path, sizeof path, "%s/dev/i2c-%d", root, bus_number);
  int bus = open(path, O_RDWR | O_CLOEXEC);
  if (bus < 0 || ioctl(bus, I2C_SLAVE, address) < 0) {
    led_failed();
  } else if (is_controller) {
    /* Registers 0 to 3: duty of LED A to D. */
    for (unsigned char led = 0; led < led_count; led++) write_register(root, bus, (unsigned char[]){led, 0}, 2);
  } else {
    /* Register 1, DEVICE_CONFIG: all outputs powered down. Registers 8 to 11: their values. */
    write_register(root, bus, (unsigned char[]){1, 0, 0xff}, 3);
    for (unsigned char led = 0; led < led_count; led++) write_register(root, bus, (unsigned char[]){8 + led, 0, 0}, 3);
  }
  if (bus >= 0) close(bus);
}

int main(int count, char **arguments) {
  const char *root = count > 1 ? arguments[1] : "";
  began_ms = now_ms();
  /* One missing acknowledgement must leave no light on. Everything is written again, which changes nothing where it is off. */
  for (;;) {
    switch_all_channels_off(root);
    if (channels.count == 0 || passed_ms() >= channels_first_ms) {
      switch_leds_off(root);
      if (channels.count + leds.count == 0) return 0;
      if (passed_ms() >= limit_ms) break;
    }
    usleep(pause_us);
  }
  fputs(channels.text, stderr);
  fputs(leds.text, stderr);
  return 1;
}
