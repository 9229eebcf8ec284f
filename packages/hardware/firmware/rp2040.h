/* Registers of the RP2040 that the firmware uses, by their names in the data sheet (RP2040 Datasheet, chapters 2 and 4). */
#ifndef LCS_RP2040_H
#define LCS_RP2040_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* 2.14 Subsystem resets */
#define RESETS_RESET REGISTER(0x4000c000)
#define RESETS_RESET_DONE REGISTER(0x4000c008)
enum {
  reset_adc = 1u << 0,
  reset_i2c1 = 1u << 4,
  reset_io_bank0 = 1u << 5,
  reset_pads_bank0 = 1u << 8,
  reset_pll_sys = 1u << 12,
  reset_pll_usb = 1u << 13,
  reset_pwm = 1u << 14,
  reset_timer = 1u << 21,
};

/* 2.15 Clocks */
#define CLK_REF_CTRL REGISTER(0x40008030)
#define CLK_REF_SELECTED REGISTER(0x40008038)
#define CLK_SYS_CTRL REGISTER(0x4000803c)
#define CLK_SYS_DIV REGISTER(0x40008040)
#define CLK_SYS_SELECTED REGISTER(0x40008044)
#define CLK_ADC_CTRL REGISTER(0x40008060)
enum {
  clk_ref_src_rosc = 0,
  clk_ref_src_xosc = 2,
  clk_sys_src_ref = 0,
  clk_sys_src_aux = 1, /* auxiliary source 0: PLL_SYS */
  clk_div_1 = 1u << 8,
  clk_adc_enable = 1u << 11, /* auxiliary source 0: PLL_USB */
};

/* 2.16 Crystal oscillator */
#define XOSC_CTRL REGISTER(0x40024000)
#define XOSC_STATUS REGISTER(0x40024004)
#define XOSC_STARTUP REGISTER(0x4002400c)
enum { xosc_range_1_15_mhz = 0xaa0, xosc_enable = 0xfab << 12 };
#define XOSC_STABLE (1u << 31)

/* 2.18 PLL: base addresses; registers at 0 (CS), 4 (PWR), 8 (FBDIV_INT), 12 (PRIM) */
enum { pll_sys_base = 0x40028000, pll_usb_base = 0x4002c000 };
#define PLL_CS(base) REGISTER((base) + 0)
#define PLL_PWR(base) REGISTER((base) + 4)
#define PLL_FBDIV(base) REGISTER((base) + 8)
#define PLL_PRIM(base) REGISTER((base) + 12)
enum { pll_pd = 1u << 0, pll_dsmpd = 1u << 2, pll_postdivpd = 1u << 3, pll_vcopd = 1u << 5 };
#define PLL_LOCK (1u << 31)

/* 2.13 Power-on state machine: what the watchdog resets */
#define PSM_WDSEL REGISTER(0x40010008)
enum { psm_all_but_oscillators = 0x0001fffc };

/* 4.7 Watchdog */
#define WATCHDOG_CTRL REGISTER(0x40058000)
#define WATCHDOG_LOAD REGISTER(0x40058004)
#define WATCHDOG_SCRATCH(number) REGISTER(0x4005800c + 4 * (number))
#define WATCHDOG_TICK REGISTER(0x4005802c)
enum { watchdog_enable = 1u << 30, watchdog_pause = 7u << 24, tick_enable = 1u << 9 };

/* 4.6 Timer: microseconds, low half */
#define TIMER_TIMERAWL REGISTER(0x40054028)

/* 2.19 GPIO */
#define IO_CTRL(gpio) REGISTER(0x40014004 + 8 * (gpio))
#define PADS_GPIO(gpio) REGISTER(0x4001c004 + 4 * (gpio))
enum {
  function_i2c = 3,
  function_pwm = 4,
  pad_schmitt = 1u << 1,
  pad_pull_down = 1u << 2,
  pad_pull_up = 1u << 3,
  pad_drive_4_ma = 1u << 4,
  pad_input = 1u << 6,
  pad_output_disable = 1u << 7,
};

/* 4.5 PWM */
#define PWM_CSR(slice) REGISTER(0x40050000 + 0x14 * (slice))
#define PWM_DIV(slice) REGISTER(0x40050004 + 0x14 * (slice))
#define PWM_CC(slice) REGISTER(0x4005000c + 0x14 * (slice))
#define PWM_TOP(slice) REGISTER(0x40050010 + 0x14 * (slice))

/* 4.9 ADC */
#define ADC_CS REGISTER(0x4004c000)
#define ADC_FCS REGISTER(0x4004c008)
#define ADC_FIFO REGISTER(0x4004c00c)
#define ADC_DIV REGISTER(0x4004c010)
#define ADC_INTE REGISTER(0x4004c018)
enum {
  adc_enable = 1u << 0,
  adc_start_many = 1u << 3,
  adc_ready = 1u << 8,
  adc_input_shift = 12,
  adc_fifo_enable = 1u << 0,
  adc_fifo_empty = 1u << 8,
  adc_fifo_flags = 3u << 10, /* underflow and overflow: cleared by writing 1 */
  adc_fifo_threshold_shift = 24,
  adc_fifo_interrupt = 1u << 0,
};

/* 4.3 I2C, second block */
#define I2C_CON REGISTER(0x40048000)
#define I2C_SAR REGISTER(0x40048008)
#define I2C_DATA_CMD REGISTER(0x40048010)
#define I2C_INTR_STAT REGISTER(0x4004802c)
#define I2C_INTR_MASK REGISTER(0x40048030)
#define I2C_RX_TL REGISTER(0x40048038)
#define I2C_CLR_RD_REQ REGISTER(0x40048050)
#define I2C_CLR_TX_ABRT REGISTER(0x40048054)
#define I2C_ENABLE REGISTER(0x4004806c)
#define I2C_RXFLR REGISTER(0x40048078)
#define I2C_SDA_HOLD REGISTER(0x4004807c)
#define I2C_ACK_GENERAL_CALL REGISTER(0x40048098)
#define I2C_FS_SPKLEN REGISTER(0x400480a0)
enum {
  i2c_speed_fast = 2u << 1,
  i2c_hold_when_full = 1u << 9,
  i2c_first_byte = 1u << 11,
  i2c_rx_full = 1u << 2,
  i2c_rd_req = 1u << 5,
  i2c_tx_abrt = 1u << 6,
};

/* 2.3.2 Interrupts, and the processor's own registers (ARMv6-M Architecture Reference Manual, B3) */
enum { irq_adc_fifo = 22, irq_i2c1 = 24 };
#define NVIC_ISER REGISTER(0xe000e100)
#define NVIC_ICER REGISTER(0xe000e180)
#define NVIC_ICPR REGISTER(0xe000e280)
#define NVIC_IPR(irq) REGISTER(0xe000e400 + 4 * ((irq) / 4))
#define SCB_VTOR REGISTER(0xe000ed08)

#endif
