/*
 * Firmware of the controller (RP2040) on boards 1.1 and 1.2. It runs from the controller's memory: the chip has no flash, and
 * `lcs-load-firmware` writes it there at each start of the computer (SWD) and starts it at its first byte.
 *
 * Pins, address and rates are those of the boards' maker (their firmware 0.5, MIT licence, was read for these facts):
 * I2C1 on GPIO14 (SDA) and 15 (SCL), address 0x2c; LED A to D on GPIO16 to 19, about 325 kHz; inputs 0 to 3 on GPIO26 to 29.
 */
#include "controller.h"
#include "rp2040.h"

enum { address = 0x2c, gpio_sda = 14, gpio_scl = 15, gpio_led_a = 16, gpio_input_0 = 26 };

/* 12 MHz crystal; PLLs: 12 MHz × 125 / 6 / 2 = 125 MHz for the processor, 12 MHz × 100 / 5 / 5 = 48 MHz for the converter. */
enum { crystal_mhz = 12, crystal_startup = 47 };

/* 125 MHz / 1.5 / 257 = 324 kHz; a duty of 255 is 255/257, as the maker's firmware has it. */
enum { pwm_div_1_5 = 0x18, pwm_top = 256 };

/* 48 MHz / 240: a sample each 5 µs, so that a round of both photodiodes takes 10.2 ms. */
enum { adc_cycles = 240 };
/* After a change of the input the first samples still hold the charge of the other one. Chosen. */
enum { settling_samples = 8, fifo_batch = 4 };
/* Inputs 0 and 1 (version of the board, supply) change slowly: about once a second. */
enum { rounds_per_slow = 100 };

/* The converter ends a round each 5 ms. The counter falls twice each microsecond (erratum RP2040-E1): half a second. */
enum { watchdog_load = 1000000 };

/* Data sheet 2.8.1.1: with these words the boot ROM starts a program in memory after the watchdog has reset the chip. */
#define BOOT_MAGIC 0xb007c0d3u

extern uint32_t __bss_start[], __bss_end[], __stack_top[], __vectors[];
void start(void);

static struct controller controller;

/* The round that is measured now. */
static struct {
  unsigned input;
  unsigned skip;
  unsigned samples;
  uint32_t sum;
  unsigned until_slow;
} round_now;
static volatile uint32_t rounds;

static void drive(unsigned led) {
  unsigned slice = led / 2;
  PWM_CC(slice) = controller.duty[2 * slice] | (uint32_t)controller.duty[2 * slice + 1] << 16;
}

static void begin_round(unsigned input) {
  round_now.input = input;
  round_now.skip = settling_samples;
  round_now.samples = 0;
  round_now.sum = 0;
  ADC_CS = adc_enable | adc_start_many | input << adc_input_shift;
}

/* 0, 1, then 2, 3, 2, 3, …, and 0, 1 again. */
static unsigned next_input(void) {
  if (round_now.input < 3) return round_now.input + 1;
  if (round_now.until_slow == 0) {
    round_now.until_slow = rounds_per_slow;
    return 0;
  }
  round_now.until_slow--;
  return 2;
}

void adc_interrupt(void) {
  while (!(ADC_FCS & adc_fifo_empty)) {
    uint32_t sample = ADC_FIFO & 0xfff;
    if (round_now.skip > 0) {
      round_now.skip--;
      continue;
    }
    round_now.sum += sample;
    if (++round_now.samples < samples_per_round) continue;
    /* The conversion under way belongs to this input: it ends, and is thrown away. */
    ADC_CS = adc_enable | round_now.input << adc_input_shift;
    while (!(ADC_CS & adc_ready)) {
    }
    while (!(ADC_FCS & adc_fifo_empty)) (void)ADC_FIFO;
    controller_measured(&controller, round_now.input, round_now.sum);
    rounds++;
    begin_round(next_input());
  }
}

void i2c_interrupt(void) {
  uint32_t status = I2C_INTR_STAT;
  /* What was written before a read is in the FIFO before its request. */
  while (I2C_RXFLR > 0) {
    uint32_t entry = I2C_DATA_CMD;
    int led = controller_receive(&controller, (uint8_t)entry, (entry & i2c_first_byte) != 0, TIMER_TIMERAWL);
    if (led >= 0) drive((unsigned)led);
  }
  /* A host that read one byte only has left the other: the block has thrown it away, and waits for this before it takes new ones. */
  if (status & (i2c_tx_abrt | i2c_rd_req)) (void)I2C_CLR_TX_ABRT;
  if (status & i2c_rd_req) {
    uint8_t bytes[2];
    controller_answer(&controller, bytes);
    /* Both at once: the clock is held only once, after the address. */
    I2C_DATA_CMD = bytes[0];
    I2C_DATA_CMD = bytes[1];
    (void)I2C_CLR_RD_REQ;
  }
}

/* All LEDs off; the watchdog resets the chip, and the boot ROM starts the firmware again. */
void fault(void) {
  PWM_CC(0) = 0;
  PWM_CC(1) = 0;
  for (;;) {
  }
}

static void start_pll(uint32_t base, uint32_t multiply, uint32_t divide_1, uint32_t divide_2) {
  PLL_CS(base) = 1;
  PLL_FBDIV(base) = multiply;
  PLL_PWR(base) = pll_dsmpd | pll_postdivpd;
  while (!(PLL_CS(base) & PLL_LOCK)) {
  }
  PLL_PRIM(base) = divide_1 << 16 | divide_2 << 12;
  PLL_PWR(base) = pll_dsmpd;
}

/* From any state: the boot ROM, another firmware or this one may have run before. */
static void start_clocks(void) {
  CLK_SYS_CTRL = clk_sys_src_ref;
  while (!(CLK_SYS_SELECTED & 1u << clk_sys_src_ref)) {
  }
  CLK_REF_CTRL = clk_ref_src_rosc;
  while (!(CLK_REF_SELECTED & 1u << clk_ref_src_rosc)) {
  }
  const uint32_t used = reset_adc | reset_i2c1 | reset_io_bank0 | reset_pads_bank0 | reset_pll_sys | reset_pll_usb | reset_pwm | reset_timer;
  RESETS_RESET |= used;
  RESETS_RESET &= ~used;
  /* The converter's reset ends when it has a clock. */
  while ((RESETS_RESET_DONE & (used & ~reset_adc)) != (used & ~reset_adc)) {
  }
  XOSC_STARTUP = crystal_startup;
  XOSC_CTRL = xosc_range_1_15_mhz | xosc_enable;
  while (!(XOSC_STATUS & XOSC_STABLE)) {
  }
  start_pll(pll_sys_base, 125, 6, 2);
  start_pll(pll_usb_base, 100, 5, 5);
  CLK_REF_CTRL = clk_ref_src_xosc;
  while (!(CLK_REF_SELECTED & 1u << clk_ref_src_xosc)) {
  }
  CLK_SYS_DIV = clk_div_1;
  CLK_SYS_CTRL = clk_sys_src_aux;
  while (!(CLK_SYS_SELECTED & 1u << clk_sys_src_aux)) {
  }
  CLK_ADC_CTRL = clk_adc_enable;
  while (!(RESETS_RESET_DONE & reset_adc)) {
  }
  WATCHDOG_TICK = crystal_mhz | tick_enable;
}

static void start_leds(void) {
  for (unsigned slice = 0; slice < 2; slice++) {
    PWM_DIV(slice) = pwm_div_1_5;
    PWM_TOP(slice) = pwm_top;
    PWM_CC(slice) = 0;
    PWM_CSR(slice) = 1;
  }
  for (unsigned led = 0; led < led_count; led++) {
    PADS_GPIO(gpio_led_a + led) = pad_schmitt | pad_pull_down | pad_drive_4_ma | pad_input;
    IO_CTRL(gpio_led_a + led) = function_pwm;
  }
}

static void start_inputs(void) {
  for (unsigned input = 0; input < input_count; input++) PADS_GPIO(gpio_input_0 + input) = pad_output_disable;
  ADC_CS = adc_enable;
  while (!(ADC_CS & adc_ready)) {
  }
  ADC_DIV = (adc_cycles - 1) << 8;
  ADC_FCS = adc_fifo_enable | adc_fifo_flags | fifo_batch << adc_fifo_threshold_shift;
  ADC_INTE = adc_fifo_interrupt;
  round_now.until_slow = rounds_per_slow;
  begin_round(0);
}

static void start_i2c(void) {
  I2C_ENABLE = 0;
  /* Neither master nor without slave; a full FIFO holds the clock instead of losing bytes. */
  I2C_CON = i2c_speed_fast | i2c_hold_when_full;
  I2C_SAR = address;
  /* A general call is for the other chips of the bus: its bytes are no registers of this one. */
  I2C_ACK_GENERAL_CALL = 0;
  I2C_RX_TL = 0;
  /* 300 ns after the falling clock, and pulses under 128 ns are no edges, at 125 MHz. */
  I2C_SDA_HOLD = 38;
  I2C_FS_SPKLEN = 16;
  I2C_INTR_MASK = i2c_rx_full | i2c_rd_req | i2c_tx_abrt;
  I2C_ENABLE = 1;
  for (unsigned gpio = gpio_sda; gpio <= gpio_scl; gpio++) {
    PADS_GPIO(gpio) = pad_schmitt | pad_pull_up | pad_drive_4_ma | pad_input;
    IO_CTRL(gpio) = function_i2c;
  }
}

static void start_watchdog(void) {
  PSM_WDSEL = psm_all_but_oscillators;
  WATCHDOG_SCRATCH(4) = BOOT_MAGIC;
  WATCHDOG_SCRATCH(5) = (uint32_t)(uintptr_t)start ^ -BOOT_MAGIC;
  WATCHDOG_SCRATCH(6) = (uint32_t)(uintptr_t)__stack_top;
  WATCHDOG_SCRATCH(7) = (uint32_t)(uintptr_t)start;
  WATCHDOG_LOAD = watchdog_load;
  WATCHDOG_CTRL = watchdog_enable | watchdog_pause;
}

__attribute__((noreturn)) void run(void) {
  WATCHDOG_CTRL = watchdog_pause;
  NVIC_ICER = UINT32_MAX;
  NVIC_ICPR = UINT32_MAX;
  for (uint32_t *word = __bss_start; word < __bss_end; word++) *word = 0;
  SCB_VTOR = (uint32_t)(uintptr_t)__vectors;
  controller_start(&controller);
  start_clocks();
  start_leds();
  start_watchdog();
  start_inputs();
  /* I2C first: a host waits with its clock held. */
  NVIC_IPR(irq_adc_fifo) = 0xc0u << 8 * (irq_adc_fifo % 4);
  NVIC_IPR(irq_i2c1) = 0;
  NVIC_ISER = 1u << irq_adc_fifo;
  __asm volatile("cpsie i" ::: "memory");
  /* Every input has a value before the first answer. */
  while (rounds < input_count) __asm volatile("wfi");
  start_i2c();
  NVIC_ISER = 1u << irq_i2c1;
  uint32_t seen = 0;
  for (;;) {
    __asm volatile("wfi");
    __asm volatile("cpsid i" ::: "memory");
    unsigned ended = controller_expire(&controller, TIMER_TIMERAWL);
    for (unsigned led = 0; led < led_count; led++)
      if (ended & 1u << led) drive(led);
    __asm volatile("cpsie i" ::: "memory");
    /* Only while the converter works. */
    uint32_t now = rounds;
    if (now != seen) WATCHDOG_LOAD = watchdog_load;
    seen = now;
  }
}

/* The first byte of the image: whoever starts it here need not know anything else of it. */
__attribute__((naked, section(".start"))) void start(void) {
  __asm volatile(
      "cpsid i\n"
      "movs r0, #0\n"
      "msr control, r0\n"
      "ldr r0, =__stack_top\n"
      "msr msp, r0\n"
      "ldr r0, =run\n"
      "bx r0\n");
}

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[48] = {
    [0] = (uintptr_t)__stack_top,
    [1] = (uintptr_t)start,
    [2] = (uintptr_t)fault,
    [3] = (uintptr_t)fault,
    [11] = (uintptr_t)fault,
    [14] = (uintptr_t)fault,
    [15] = (uintptr_t)fault,
    [16 + irq_adc_fifo] = (uintptr_t)adc_interrupt,
    [16 + irq_i2c1] = (uintptr_t)i2c_interrupt,
};
