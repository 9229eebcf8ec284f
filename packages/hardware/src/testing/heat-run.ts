import { defaultThermal, heated, type ThermalParameters, type ThermalState } from '@lcs/domain';
import { GuardCore } from '../guard/guard-core.ts';
import { defaultWiring } from '../guard/guard-types.ts';
import { seededNoise } from '../simulated/seeded-noise.ts';

/** A vial and its room under a heater that a job drives and the guard watches. Times are seconds. */
export interface HeatRun {
  readonly thermal: ThermalParameters;
  readonly volumeMl: number;
  /** What the job wants, %. */
  readonly duty: (atS: number) => number;
  /** °C. */
  readonly roomC: (atS: number) => number;
  /** ml of medium at 4 °C that come at this second in exchange for liquid. */
  readonly coldMl?: (atS: number) => number;
  /** Factor of the losses to the air. */
  readonly draught?: (atS: number) => number;
  /** What the sensor measures; missing: the board. */
  readonly sensorC?: (atS: number, boardC: number, roomC: number) => number;
  readonly forS: number;
  readonly seed: number;
}

export interface HeatRunResult {
  /** When the guard gave up on the sensor, s; undefined: never. */
  readonly detachedS: number | undefined;
  /** Seconds in which the guard paused a heater that its job wanted on. */
  readonly pausedS: number;
  /** °C. */
  readonly hottestLiquidC: number;
}

const coldC = 4;
/** The board may become as hot as it likes: other limits are not the subject. */
const heat = { reduceCelsius: 84, disableCelsius: 84.5, shutdownCelsius: 85 };

const exchanged = (state: ThermalState, ml: number, volumeMl: number): ThermalState =>
  ml === 0 ? state : { ...state, liquidC: state.liquidC + (ml / volumeMl) * (coldC - state.liquidC) };

/** A second of the vial, its losses multiplied. */
function secondOf(run: HeatRun, state: ThermalState, duty: number, atS: number): ThermalState {
  const factor = run.draught?.(atS) ?? 1;
  const { thermal, volumeMl } = run;
  const lossy = {
    ...thermal,
    heaterToAir: factor * thermal.heaterToAir,
    sleeveToAir: factor * thermal.sleeveToAir,
    liquidToAir: factor * thermal.liquidToAir,
  };
  const warm = heated(lossy, state, { duty, volumeMl, ambientC: run.roomC(atS), stirred: true }, 1);
  return exchanged(warm, run.coldMl?.(atS) ?? 0, volumeMl);
}

/** The guard's core over this time, with a reading each second while the heater is wanted, as `Guard` makes them. */
export function heatRun(run: HeatRun): HeatRunResult {
  const noise = seededNoise(run.seed);
  const core = new GuardCore({ wiring: defaultWiring, watch: undefined });
  core.handle({ kind: 'limits', limits: { heat, pumps: {} } }, 0);
  core.handle({ kind: 'acquire', lease: 'a', generation: 1, outputs: ['pwm5'] }, 0);
  const roomC = run.roomC(0);
  let state: ThermalState = { heaterC: roomC, sleeveC: roomC, liquidC: roomC };
  const result = { pausedS: 0, hottestLiquidC: roomC };
  const read = (atS: number) => {
    const seenC = (run.sensorC?.(atS, state.heaterC, run.roomC(atS)) ?? state.heaterC) + 0.03 * noise();
    core.temperatureRead(Math.floor(seenC * 16) / 16, atS * 1000);
  };
  let wanted = 0;
  for (let atS = 0; atS < run.forS; atS += 1) {
    const duty = run.duty(atS);
    if (wanted > 0 || duty > 0) read(atS);
    if (core.takeNotices().some((notice) => notice.what === 'limit' && notice.limit === 'sensor_detached'))
      return { ...result, detachedS: atS };
    if (duty !== wanted)
      core.handle({ kind: 'set', lease: 'a', generation: 1, output: 'pwm5', percent: duty }, atS * 1000);
    wanted = duty;
    const level = core.level('pwm5');
    if (duty > 0 && level === 0) result.pausedS += 1;
    state = secondOf(run, state, level, atS);
    result.hottestLiquidC = Math.max(result.hottestLiquidC, state.liquidC);
  }
  return { ...result, detachedS: undefined };
}

/** Vials at the corners of ±50 %: power, capacities, and the heat flows from board, between the other parts, and to the air. */
export function cornerVials(): readonly ThermalParameters[] {
  const factors = [0.5, 1, 1.5] as const;
  return factors.flatMap((power) =>
    factors.flatMap((capacity) =>
      factors.flatMap((fromBoard) =>
        factors.flatMap((loss) =>
          factors.map((within) => ({
            heaterW: power * defaultThermal.heaterW,
            heaterCapacity: capacity * defaultThermal.heaterCapacity,
            sleeveCapacity: capacity * defaultThermal.sleeveCapacity,
            glassCapacity: capacity * defaultThermal.glassCapacity,
            heaterToSleeve: fromBoard * defaultThermal.heaterToSleeve,
            heaterToLiquid: fromBoard * defaultThermal.heaterToLiquid,
            heaterToAir: loss * defaultThermal.heaterToAir,
            sleeveToLiquid: within * defaultThermal.sleeveToLiquid,
            sleeveToAir: loss * defaultThermal.sleeveToAir,
            liquidToAir: loss * defaultThermal.liquidToAir,
          })),
        ),
      ),
    ),
  );
}
