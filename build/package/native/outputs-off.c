/*
 * Switches off every output of the board after the service of its unit has ended, however it ended (ExecStopPost). It is
 * small, starts in a millisecond and needs no Node: PWM channels first (heater, pumps, stirrer), then the LEDs.
 *
 * Outputs that the overlay lcs-outputs made LEDs of the kernel get the brightness 0, which also removes their trigger. Each PWM channel
 * that was exported to user space is set to duty 0 (kernel documentation, ABI/testing/sysfs-class-pwm).
 * The unit writes which chip drives its LEDs into the file `leds` of its runtime folder: "controller 1 44" or
 * "dac43608 1 73" (chip, number of the I2C bus, address). Argument: another root folder, for tests.
 *
 * What fails is tried again for five seconds. Exit code 0: everything is off; 1: the named outputs could not be switched off.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/i2c-dev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { path_size = 512, led_count = 4 };
/* Five seconds. */
enum { attempts = 50, pause_us = 100000 };

static int failed = 0;
static int is_last_attempt = 0;

static void report(const char *output) {
  if (is_last_attempt) fprintf(stderr, "lcs-outputs-off: %s could not be switched off: %s.\n", output, strerror(errno));
  failed = 1;
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
  if (file < 0 || write(file, "0\n", 2) != 2) report(channel);
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
  glob_t leds;
  if (glob(pattern, 0, NULL, &leds) != 0) return;
  for (size_t at = 0; at < leds.gl_pathc; at++) {
    int file = open(leds.gl_pathv[at], O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (file < 0 || write(file, "0\n", 2) != 2) report(leds.gl_pathv[at]);
    if (file >= 0) close(file);
  }
  globfree(&leds);
}

static void write_register(int bus, const unsigned char *bytes, size_t size) {
  if (write(bus, bytes, size) != (ssize_t)size) report("the LEDs");
}

static void switch_leds_off(const char *root) {
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
    report("the LEDs");
    return;
  }
  snprintf(path, sizeof path, "%s/dev/i2c-%d", root, bus_number);
  int bus = open(path, O_RDWR | O_CLOEXEC);
  if (bus < 0 || ioctl(bus, I2C_SLAVE, address) < 0) {
    report("the LEDs");
  } else if (is_controller) {
    /* Registers 0 to 3: duty of LED A to D. */
    for (unsigned char led = 0; led < led_count; led++) write_register(bus, (unsigned char[]){led, 0}, 2);
  } else {
    /* Register 1, DEVICE_CONFIG: all outputs powered down. Registers 8 to 11: their values. */
    write_register(bus, (unsigned char[]){1, 0, 0xff}, 3);
    for (unsigned char led = 0; led < led_count; led++) write_register(bus, (unsigned char[]){8 + led, 0, 0}, 3);
  }
  if (bus >= 0) close(bus);
}

int main(int count, char **arguments) {
  const char *root = count > 1 ? arguments[1] : "";
  /* One missing acknowledgement must leave no light on. Everything is written again, which changes nothing where it is off. */
  for (int attempt = 1; attempt <= attempts; attempt++) {
    if (attempt > 1) usleep(pause_us);
    failed = 0;
    is_last_attempt = attempt == attempts;
    switch_kernel_leds_off(root);
    switch_channels_off(root);
    switch_leds_off(root);
    if (!failed) return 0;
  }
  return 1;
}
