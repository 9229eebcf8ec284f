import { measuredRpm, type ProtocolAction, startKick } from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { type HeldOutput, whileRunning } from '../jobs/shared/held-output.ts';
import { pwmOutput } from '../jobs/shared/job-config.ts';
import type { UnitDevices } from '../jobs/unit-devices.ts';
import type { ActionProgress, TakeOutput } from './action-progress.ts';

const spinUpMs = 3_000;
const settleMs = 2_000;
const measureMs = 2_000;
const pointsOfLeg = 5;

interface Point {
  readonly duty: number;
  readonly rpm: number;
}

/** Duties down, up and down again, so that the points include hysteresis. */
function dutiesOf(lowest: number, highest: number): readonly number[] {
  const up = Array.from({ length: pointsOfLeg }, (_, i) => lowest + ((highest - lowest) * i) / (pointsOfLeg - 1));
  const down = [...up].reverse();
  return [...down, ...up, ...down];
}

/** How fast the stirrer turns now. @throws BusError, the signal's reason */
export async function speedNow(
  { signal }: JobContext,
  { hallSensor: hall }: UnitDevices,
  windowMs: number,
): Promise<number> {
  const edgesUs = await whileRunning(signal, hall.measure(windowMs, signal));
  return measuredRpm(edgesUs.map((edgeUs) => edgeUs / 1e6));
}

/** Starts the stirrer with a kick and brings it to `duty` (%). */
export async function spinUp({ clock }: JobContext, stirrer: HeldOutput, duty: number): Promise<void> {
  for (const kick of startKick) {
    await stirrer.set(kick.duty);
    await clock.sleep(1000 * kick.seconds);
  }
  await stirrer.set(duty);
  await clock.sleep(spinUpMs);
}

/** Tries the stirrer at fifteen duties. @throws BusError, GuardRefused, the signal's reason */
export async function sweepStirrer(
  context: JobContext,
  devices: UnitDevices,
  take: TakeOutput,
  { lowestDuty, highestDuty }: Extract<ProtocolAction, { kind: 'stirring' }>,
  onProgress: ActionProgress,
): Promise<readonly Point[]> {
  const stirrer = await take(pwmOutput(context.config, 'stirring'));
  await spinUp(context, stirrer, (lowestDuty + highestDuty) / 2);
  const duties = dutiesOf(lowestDuty, highestDuty);
  const points: Point[] = [];
  for (const duty of duties) {
    await stirrer.set(duty);
    await context.clock.sleep(settleMs);
    points.push({ duty, rpm: await speedNow(context, devices, measureMs) });
    onProgress(points.length / duties.length);
  }
  return points;
}
