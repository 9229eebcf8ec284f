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
}
