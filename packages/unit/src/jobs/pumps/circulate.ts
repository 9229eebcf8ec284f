import type { JobContext } from '@lcs/node';
import type { DoseResult, Pumps } from './pumping.ts';
import { stoppedBy, stoppedText } from './refusals.ts';

/** The liquid that is exchanged, the duration, and the requester. */
export interface Circulation {
  readonly pump: 'media' | 'alt_media';
  readonly durationS: number;
  readonly source: string;
  /** Called once when the waste pump runs. */
  readonly begun?: () => void;
}

/** Share of each second in which medium is added, when the waste pump is as fast as the medium pump or faster. */
const defaultShare = 0.85;
/** The waste pump starts before the medium, and stops after it. */
const leadMs = 1_000;

/**
 * Circulates medium through the vial: the waste pump runs all the time and medium is added in pulses, so that the level stays at
 * the waste tube. Both are recorded as they are pumped. @throws PumpRefused
 */
export async function circulate(
  context: JobContext,
  pumps: Pumps,
  { pump, durationS, source, begun }: Circulation,
  signal: AbortSignal,
): Promise<void> {
  if (durationS <= 0) return;
  const share = Math.min(defaultShare, pumps.flowRatio('waste', pump));
  const because = {
    origin: source,
    rule: `Circulates ${pump} for ${durationS} s: ${share.toFixed(2)} s of each second.`,
  };
  const both = { sourceOfEvent: source, because };
  const pulse = { pump, amount: { durationS: Math.min(share, durationS) } };
  const refused = pumps.refusal(pulse);
  // The waste pump, which runs first, lowers the level.
  if (refused !== undefined && refused.stopped !== 'overflow') throw refused;
  // Nothing is drawn from a vial that gets nothing back.
  await pumps.expectFree(context, { ...pulse, ...both });
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  const waste = pumps.dose(context, { pump: 'waste', amount: 'continuously', ...both, ...(begun && { begun }) }, until);
  // However it ends, no medium comes in without it.
  const over = new AbortController();
  const wasteEnded = waste.finally(() => over.abort());
  wasteEnded.catch(() => {});
  const inflow = AbortSignal.any([signal, over.signal]);
  try {
    await waited(context, leadMs, inflow);
    const stopped = await pulses(context, pumps, { pump, share, durationS, both }, inflow);
    if (stopped !== undefined && stopped !== 'stopped') throw stoppedBy(stopped);
    await waited(context, leadMs, inflow);
  } finally {
    ending.abort();
    const { stopped } = await wasteEnded;
    if (stopped === 'guard' || stopped === 'bottle_empty')
      context.log('ERROR', `The waste pump ended. ${stoppedText(stopped)}`);
  }
}

interface Pulses {
  readonly pump: Circulation['pump'];
  readonly share: number;
  readonly durationS: number;
  readonly both: Pick<Parameters<Pumps['dose']>[1], 'sourceOfEvent' | 'because'>;
}

/** One pulse a second; the last one is cut. Why they ended before their time, if they did. */
async function pulses(
  context: JobContext,
  pumps: Pumps,
  { pump, share, durationS, both }: Pulses,
  signal: AbortSignal,
): Promise<DoseResult['stopped']> {
  const { clock } = context;
  const startMs = clock.monotonic();
  const endMs = startMs + 1000 * durationS;
  for (let pulse = 0; ; pulse += 1) {
    const leftMs = endMs - clock.monotonic();
    if (leftMs <= 0 || signal.aborted) return undefined;
    const amount = { durationS: Math.min(share, leftMs / 1000) };
    const { stopped } = await pumps.dose(context, { pump, amount, ...both, isFurtherPulse: pulse > 0 }, signal);
    if (stopped !== undefined) return stopped;
    await waited(context, Math.min(endMs, startMs + 1000 * (pulse + 1)) - clock.monotonic(), signal);
  }
}

/** Waits, or until the signal. */
async function waited({ clock }: JobContext, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
