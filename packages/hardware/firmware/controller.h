/*
 * What the board's controller does, without its hardware: registers as the driver knows them (packages/hardware/src/chips/
 * board-controller.ts), averages of the inputs, and the end of LEDs that nobody sets any more. The same file is compiled for the
 * controller and for the computer that tests it.
 */
#ifndef LCS_CONTROLLER_H
#define LCS_CONTROLLER_H

#include <stdint.h>

enum {
  led_count = 4,
  input_count = 4,
  register_led = 0,     /* 0 to 3, write: duty of LED A to D, one byte */
  register_input = 4,   /* 4 to 7, read: input 0 to 3, two bytes, low byte first */
  register_version = 8, /* read: minor, major */
  version_minor = 0,
  version_major = 1,    /* own numbers: the firmware of the boards' maker has 0.x */
};

/* An input is the sum of so many 12-bit samples, shifted: 32 times one sample. */
enum { samples_per_round = 1024, round_shift = 5 };

/* Microseconds after which an LED that was not set again goes off. The guard sets each LED that is on every 2 s. */
enum { led_limit_us = 6000000 };

struct controller {
  uint8_t pointer;
  uint8_t duty[led_count];
  uint32_t set_us[led_count];
  uint16_t input[input_count];
  /* Of the photodiodes' inputs, 256 times their value; UINT32_MAX before the first round. */
  uint32_t average[input_count];
};

void controller_start(struct controller *controller);

/* One byte that the host writes. `is_first`: after the address. Returns the number of an LED whose duty was written, or -1. */
int controller_receive(struct controller *controller, uint8_t byte, int is_first, uint32_t now_us);

/* The two bytes that a host reads from the register it has pointed to. */
void controller_answer(const struct controller *controller, uint8_t bytes[2]);

/* The sum of one round of an input. Inputs 2 and 3 are averaged: a quarter of each new value. */
void controller_measured(struct controller *controller, unsigned input, uint32_t sum);

/* Switches off what nobody has set for too long. Returns one bit for each LED that went off. */
unsigned controller_expire(struct controller *controller, uint32_t now_us);

#endif
