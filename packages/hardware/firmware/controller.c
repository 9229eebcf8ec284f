#include "controller.h"

enum { no_register = 0xff, first_averaged = 2, fraction_bits = 8, new_share_shift = 2 };

void controller_start(struct controller *controller) {
  controller->pointer = no_register;
  for (unsigned led = 0; led < led_count; led++) {
    controller->duty[led] = 0;
    controller->set_us[led] = 0;
  }
  for (unsigned input = 0; input < input_count; input++) {
    controller->input[input] = 0;
    controller->average[input] = UINT32_MAX;
  }
}

int controller_receive(struct controller *controller, uint8_t byte, int is_first, uint32_t now_us) {
  if (is_first) {
    controller->pointer = byte <= register_version ? byte : no_register;
    return -1;
  }
  unsigned led = controller->pointer - register_led;
  if (led >= led_count) return -1;
  controller->duty[led] = byte;
  controller->set_us[led] = now_us;
  return (int)led;
}

void controller_answer(const struct controller *controller, uint8_t bytes[2]) {
  unsigned pointer = controller->pointer;
  unsigned input = pointer - register_input;
  if (input < input_count) {
    uint16_t value = controller->input[input];
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
  } else if (pointer == register_version) {
    bytes[0] = version_minor;
    bytes[1] = version_major;
  } else {
    bytes[0] = 0xff;
    bytes[1] = 0xff;
  }
}

void controller_measured(struct controller *controller, unsigned input, uint32_t sum) {
  if (input >= input_count) return;
  /* Above 1.65 V it stays at its highest value; it does not begin anew at 0. */
  uint32_t value = sum >> round_shift;
  if (value > UINT16_MAX) value = UINT16_MAX;
  if (input < first_averaged) {
    controller->input[input] = (uint16_t)value;
    return;
  }
  uint32_t fine = value << fraction_bits;
  uint32_t average = controller->average[input];
  if (average == UINT32_MAX) average = fine;
  else if (fine > average) average += (fine - average) >> new_share_shift;
  else average -= (average - fine) >> new_share_shift;
  controller->average[input] = average;
  uint32_t rounded = (average + (1u << (fraction_bits - 1))) >> fraction_bits;
  controller->input[input] = rounded > UINT16_MAX ? UINT16_MAX : (uint16_t)rounded;
}

unsigned controller_expire(struct controller *controller, uint32_t now_us) {
  unsigned ended = 0;
  for (unsigned led = 0; led < led_count; led++) {
    /* The counter of microseconds begins anew after 71 minutes: the difference does not. */
    if (controller->duty[led] == 0 || now_us - controller->set_us[led] < led_limit_us) continue;
    controller->duty[led] = 0;
    ended |= 1u << led;
  }
  return ended;
}
