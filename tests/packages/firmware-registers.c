/* The firmware's logic on this computer. Each line of the input is a call, each line of the output what it returned. */
#include <stdio.h>
#include "controller.h"

int main(void) {
  struct controller controller;
  char call;
  unsigned one, two;
  controller_start(&controller);
  while (scanf(" %c %u %u", &call, &one, &two) == 3) {
    uint8_t bytes[2];
    switch (call) {
      case 'p': /* point to a register */
        printf("%d\n", controller_receive(&controller, (uint8_t)one, 1, two));
        break;
      case 'w': /* write a byte at a time */
        printf("%d\n", controller_receive(&controller, (uint8_t)one, 0, two));
        break;
      case 'r':
        controller_answer(&controller, bytes);
        printf("%u\n", bytes[0] | bytes[1] << 8);
        break;
      case 'm': /* input, sum */
        controller_measured(&controller, one, two);
        printf("%u\n", controller.input[one % input_count]);
        break;
      case 'e':
        printf("%u\n", controller_expire(&controller, one));
        break;
      case 'd':
        printf("%u\n", controller.duty[one % led_count]);
        break;
    }
  }
  return 0;
}
