import { type PwmChannel, pwmChannels } from '../board-layout.ts';
import { BusError } from '../buses/bus-error.ts';
import type { PwmBank } from '../buses/pwm-bank.ts';

interface ChannelState {
  periodNs: number;
  dutyNs: number;
  enabled: boolean;
}

const channelOf = (channel: number): PwmChannel | undefined => pwmChannels.find((known) => known === channel);

/** Refuses what the kernel refuses: an unknown or unexported channel, a duty longer than the period, no period. */
export class SimulatedPwmBank implements PwmBank {
  readonly #onLevel: (channel: PwmChannel, percent: number) => void;
  readonly #exported = new Map<number, ChannelState>();

  constructor(onLevel: (channel: PwmChannel, percent: number) => void) {
    this.#onLevel = onLevel;
  }

  async exportChannel(channel: number): Promise<void> {
    if (channelOf(channel) === undefined) throw new BusError(`pwm ${channel}`, 'export', 'no such channel');
    if (!this.#exported.has(channel)) this.#exported.set(channel, { periodNs: 0, dutyNs: 0, enabled: false });
  }

  async setPeriod(channel: number, periodNs: number): Promise<void> {
    this.#change(channel, 'set period', (state) => ({ ...state, periodNs }));
  }

  async setDuty(channel: number, dutyNs: number): Promise<void> {
    this.#change(channel, 'set duty', (state) => ({ ...state, dutyNs }));
  }

  async setEnabled(channel: number, enabled: boolean): Promise<void> {
    this.#change(channel, 'enable', (state) => ({ ...state, enabled }));
  }

  #change(channel: number, operation: string, change: (state: ChannelState) => ChannelState): void {
    const known = channelOf(channel);
    const state = this.#exported.get(channel);
    if (known === undefined || state === undefined) {
      throw new BusError(`pwm ${channel}`, operation, 'the channel is not exported');
    }
    const next = change(state);
    if (next.dutyNs > next.periodNs || (next.enabled && next.periodNs === 0)) {
      throw new BusError(`pwm ${channel}`, operation, 'invalid argument');
    }
    this.#exported.set(channel, next);
    this.#onLevel(known, next.enabled ? (next.dutyNs / next.periodNs) * 100 : 0);
  }
}
