import { heated, liquidCapacity, type SeededStream, type ThermalParameters } from '@lcs/domain';

/** As in the job: every 200 s the heater is off for 21 samples of its board. */
const cycle = { everyS: 200, samples: 21, everySampleS: 5 } as const;
const onS = cycle.everyS - cycle.samples * cycle.everySampleS;
const exchangeEveryS = 1200;
const volumeMl = 15;
const capacityMl = 20;
const hourS = 3600;

/** A vial at a constant duty, of which everything is known but the noise, the room, the medium's temperature and the scatter of the pump. */
export interface HeatedVial {
  readonly chance: SeededStream;
  readonly thermal: ThermalParameters;
  /** Of the liquid, at the start, °C. */
  readonly liquidC: number;
  readonly roomC: number;
  readonly exchangeMl: number;
  /** Relative standard deviation of single doses. */
  readonly doseSpread: number;
  /** Standard deviation of the change of the room in an hour, of the temperature of the medium of a dose, and of a sample of the board, °C. */
  readonly roomChangeC: number;
  readonly mediumC: number;
  readonly sampleC: number;
  /** Relative standard deviation of the change of all heat losses in an hour: draughts, evaporation, lid. */
  readonly lossChange: number;
}

const size = 5;
type Matrix = readonly number[];
/** Heater's board, sleeve, liquid, room; and a flux from the liquid that nobody knows, W. */
const index = { heater: 0, sleeve: 1, liquid: 2, room: 3, flux: 4 } as const;

interface Step {
  readonly transition: Matrix;
  readonly offset: readonly number[];
}

/** The linear step of the thermal model. */
function stepOf(thermal: ThermalParameters, volume: number, seconds: number, duty: number): Step {
  const from = (values: readonly number[], ambientC: number, percent: number): readonly number[] => {
    const [heaterC = 0, sleeveC = 0, liquidC = 0] = values;
    const after = heated(
      thermal,
      { heaterC, sleeveC, liquidC },
      { duty: percent, volumeMl: volume, ambientC, stirred: true },
      seconds,
    );
    return [after.heaterC, after.sleeveC, after.liquidC];
  };
  const capacity = liquidCapacity(thermal, volume);
  const columns = [
    from([1, 0, 0], 0, 0),
    from([0, 1, 0], 0, 0),
    from([0, 0, 1], 0, 0),
    from([0, 0, 0], 1, 0),
    [0, 0, -seconds / capacity],
  ];
  const transition = Array.from({ length: size * size }, (_, place) => {
    const [row, column] = [Math.floor(place / size), place % size];
    if (row > 2) return row === column ? 1 : 0;
    return columns[column]?.[row] ?? 0;
  });
  return { transition, offset: [...from([0, 0, 0], 0, duty), 0, 0] };
}

const at = (matrix: Matrix, row: number, column: number): number => matrix[row * size + column] ?? 0;
const times = (one: Matrix, other: Matrix): Matrix =>
  Array.from({ length: size * size }, (_, place) => {
    const [row, column] = [Math.floor(place / size), place % size];
    let sum = 0;
    for (let inner = 0; inner < size; inner += 1) sum += at(one, row, inner) * at(other, inner, column);
    return sum;
  });
const transposed = (matrix: Matrix): Matrix =>
  Array.from({ length: size * size }, (_, place) => at(matrix, place % size, Math.floor(place / size)));
const applied = ({ transition, offset }: Step, mean: readonly number[]): number[] =>
  mean.map((_, row) => {
    let sum = offset[row] ?? 0;
    for (let column = 0; column < size; column += 1) sum += at(transition, row, column) * (mean[column] ?? 0);
    return sum;
  });

class Steps {
  readonly #known = new Map<string, Step>();
  readonly #thermal: ThermalParameters;
  constructor(thermal: ThermalParameters) {
    this.#thermal = thermal;
  }
  of(volume: number, seconds: number, duty: number): Step {
    const key = `${volume.toFixed(2)} ${seconds} ${duty}`;
    const known = this.#known.get(key) ?? stepOf(this.#thermal, volume, seconds, duty);
    this.#known.set(key, known);
    return known;
  }
}

interface Noise {
  readonly roomVariance: number;
  readonly fluxVariance: number;
}

/** Mean and covariance by one assumption about the waste tube. */
class ThermalFilter {
  mean: number[];
  volume = volumeMl;
  logLikelihood = 0;
  #covariance: Matrix;
  constructor(mean: readonly number[]) {
    this.mean = [...mean];
    this.#covariance = Array.from({ length: size * size }, (_, place) =>
      place % (size + 1) === 0 ? ([0.25, 0.25, 0.25, 0.25, 0.0025][place / (size + 1)] ?? 0) : 0,
    );
  }
  copy(): ThermalFilter {
    const copy = new ThermalFilter(this.mean);
    copy.#covariance = this.#covariance;
    copy.volume = this.volume;
    copy.logLikelihood = this.logLikelihood;
    return copy;
  }
  pass(step: Step, seconds: number, { roomVariance, fluxVariance }: Noise): void {
    this.mean = applied(step, this.mean);
    const next = [...times(times(step.transition, this.#covariance), transposed(step.transition))];
    const hours = seconds / hourS;
    next[index.room * (size + 1)] = (next[index.room * (size + 1)] ?? 0) + roomVariance * hours;
    next[index.flux * (size + 1)] = (next[index.flux * (size + 1)] ?? 0) + fluxVariance * hours;
    this.#covariance = next;
  }
  /** Medium of the room's temperature comes in. */
  dose(addedMl: number, { doseSpread, mediumC }: Pick<HeatedVial, 'doseSpread' | 'mediumC'>, isBlocked: boolean): void {
    const share = addedMl / (this.volume + addedMl);
    const difference = (this.mean[index.room] ?? 0) - (this.mean[index.liquid] ?? 0);
    const mixing: number[] = Array.from({ length: size * size }, (_, place) => (place % (size + 1) === 0 ? 1 : 0));
    mixing[index.liquid * size + index.liquid] = 1 - share;
    mixing[index.liquid * size + index.room] = share;
    this.mean = applied({ transition: mixing, offset: [0, 0, 0, 0, 0] }, this.mean);
    const next = [...times(times(mixing, this.#covariance), transposed(mixing))];
    const own = index.liquid * (size + 1);
    next[own] = (next[own] ?? 0) + (share * mediumC) ** 2 + (share * doseSpread * difference) ** 2;
    this.#covariance = next;
    if (isBlocked) this.volume = Math.min(capacityMl, this.volume + addedMl);
  }
  read(seen: number, sampleC: number): void {
    const variance = at(this.#covariance, 0, 0) + sampleC ** 2;
    const error = seen - (this.mean[index.heater] ?? 0);
    this.logLikelihood -= error ** 2 / 2 / variance + Math.log(variance) / 2;
    const gains = Array.from({ length: size }, (_, row) => at(this.#covariance, row, 0) / variance);
    this.mean = this.mean.map((value, row) => value + (gains[row] ?? 0) * error);
    this.#covariance = this.#covariance.map((value, place) => {
      const [row, column] = [Math.floor(place / size), place % size];
      return value - (gains[row] ?? 0) * at(this.#covariance, 0, column);
    });
  }
}

/** Duty (per cent) at which the liquid keeps its temperature, with the state that belongs to it. */
function held({ thermal, liquidC, roomC }: HeatedVial): { readonly duty: number; readonly state: readonly number[] } {
  let low = 0;
  let high = 100;
  const after = (duty: number) => {
    const inputs = { volumeMl, ambientC: roomC, stirred: true } as const;
    let one = { heaterC: liquidC, sleeveC: liquidC, liquidC };
    for (let count = 0; count < 60; count += 1) {
      one = heated(thermal, one, { ...inputs, duty }, onS);
      one = heated(thermal, one, { ...inputs, duty: 0 }, cycle.everyS - onS);
    }
    return one;
  };
  for (let count = 0; count < 20; count += 1) {
    const duty = (low + high) / 2;
    if (after(duty).liquidC > liquidC) high = duty;
    else low = duty;
  }
  const state = after(high);
  return { duty: high, state: [state.heaterC, state.sleeveC, state.liquidC, roomC, 0] };
}

export interface ThermalKnowledge {
  readonly exchanges: number;
  readonly spilledMl: number;
}

/**
 * When an observer that is exactly right about the thermal model knows, by the temperature of the heater's board alone, that a waste tube is
 * blocked: the logarithm of the likelihood ratio reaches `threshold`. It also knows when the tube was blocked, if it was. Undefined: not within `hours`.
 */
export function knownByTemperature(vial: HeatedVial, threshold: number, hours: number): ThermalKnowledge | undefined {
  const { chance, thermal, roomC, liquidC, exchangeMl, doseSpread, mediumC, roomChangeC, lossChange, sampleC } = vial;
  const [samples, doses, rooms, fluxes] = ['samples', 'doses', 'rooms', 'fluxes'].map((part) => chance.split(part));
  if (!samples || !doses || !rooms || !fluxes) throw new Error('a stream is missing');
  const steps = new Steps(thermal);
  const { duty, state } = held(vial);
  const lossW = (liquidC - roomC) * (thermal.liquidToAir + thermal.sleeveToAir + thermal.heaterToAir);
  const noise: Noise = { roomVariance: roomChangeC ** 2, fluxVariance: (lossChange * lossW) ** 2 };
  const working = new ThermalFilter(state);
  let blocked: ThermalFilter | undefined;
  let truth = [...state];
  let [trueMl, spilledMl, exchanges] = [volumeMl, 0, 0];
  const beforeS = 3 * hourS;
  const pass = (seconds: number, percent: number): void => {
    truth = applied(steps.of(trueMl, seconds, percent), truth);
    const root = Math.sqrt(seconds / hourS);
    truth[index.room] = (truth[index.room] ?? 0) + Math.sqrt(noise.roomVariance) * root * rooms.normal();
    truth[index.flux] = (truth[index.flux] ?? 0) + Math.sqrt(noise.fluxVariance) * root * fluxes.normal();
    for (const filter of blocked === undefined ? [working] : [working, blocked])
      filter.pass(steps.of(filter.volume, seconds, percent), seconds, noise);
  };
  for (let atS = 0; atS < beforeS + hours * hourS; atS += cycle.everyS) {
    if (atS % exchangeEveryS === 0) {
      const isBlocked = atS >= beforeS;
      if (isBlocked && blocked === undefined) {
        blocked = working.copy();
      }
      const added = exchangeMl * (1 + doseSpread * doses.normal());
      const cold = (truth[index.room] ?? 0) + mediumC * doses.normal();
      const share = added / (trueMl + added);
      truth[index.liquid] = (1 - share) * (truth[index.liquid] ?? 0) + share * cold;
      if (isBlocked) {
        exchanges += 1;
        spilledMl += Math.max(0, trueMl + added - capacityMl);
        trueMl = Math.min(capacityMl, trueMl + added);
      }
      working.dose(exchangeMl, vial, false);
      blocked?.dose(exchangeMl, vial, true);
    }
    pass(onS, duty);
    for (let sample = 0; sample < cycle.samples; sample += 1) {
      pass(cycle.everySampleS, 0);
      const seen = (truth[index.heater] ?? 0) + sampleC * samples.normal();
      working.read(seen, sampleC);
      blocked?.read(seen, sampleC);
    }
    if (blocked !== undefined && blocked.logLikelihood - working.logLikelihood > threshold)
      return { exchanges, spilledMl };
  }
  return undefined;
}
