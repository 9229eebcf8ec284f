/**
 * PWM channels in the shape of the Linux sysfs interface (Documentation/driver-api/pwm.rst): a channel is exported, gets a
 * period and a duty time, and is enabled. As there, a duty time longer than the period is refused.
 * All methods throw BusError.
 */
export interface PwmBank {
  /** Makes the channel usable. An exported channel may be exported again: nothing changes. */
  exportChannel(channel: number): Promise<void>;
  /** Nanoseconds. */
  setPeriod(channel: number, periodNs: number): Promise<void>;
  /** Nanoseconds of each period during which the pin is high. */
  setDuty(channel: number, dutyNs: number): Promise<void>;
  setEnabled(channel: number, enabled: boolean): Promise<void>;
  /**
   * How often a duty above 0 must be set again, ms: otherwise the channel goes off by itself. undefined: it keeps its duty. Known
   * from the export of the channel on.
   */
  rewriteMs?(channel: number): number | undefined;
  /** How long such a channel keeps a duty, ms. undefined: without end. */
  heldMs?(channel: number): number | undefined;
}
