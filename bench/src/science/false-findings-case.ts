import type { SeededStream } from '@lcs/domain';
import { type DosingCourse, type DosingFinding, dosingResult } from './dosing-course.ts';
import { noiseOf, type Plant } from './plants.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';
import { bubbleBursts } from './signal-disturbances.ts';

const hourS = 3600;
const dayS = 24 * hourS;
const days = 10;
const intervalsS = [5, 30, 60, 90, 120] as const;
const kinds: readonly DosingFinding['what'][] = ['waste_blocked', 'missing', 'irregular', 'wrong_volume'];
/** Which pause the automation. */
const pausing = kinds.filter((kind) => kind !== 'wrong_volume');

/** Growth by which a culture is held: it drifts by 6 % in hours, and changes within an hour about once a day. Chosen. */
function growthOf(chance: SeededStream): (timeS: number) => number {
  const drawn = (): number => 0.25 + 0.75 * chance.uniform();
  const wait = (): number => -dayS * Math.log(1 - chance.uniform());
  let target = drawn();
  let [base, drift, atS, nextS] = [target, 0, 0, wait()];
  return (timeS) => {
    const elapsedS = timeS - atS;
    atS = timeS;
    while (timeS > nextS) {
      target = drawn();
      nextS += wait();
    }
    base += (target - base) * (1 - Math.exp(-elapsedS / hourS));
    const stays = Math.exp(-elapsedS / (6 * hourS));
    drift = stays * drift + Math.sqrt(1 - stays * stays) * chance.normal();
    return base * (1 + 0.06 * drift);
  };
}

/** A pump that wears: by about 1 % in a day. Chosen. */
function wornPump(chance: SeededStream, first: number): (timeS: number) => number {
  let [factor, atS] = [first, 0];
  return (timeS) => {
    factor *= 1 + 0.01 * Math.sqrt(Math.max(0, timeS - atS) / dayS) * chance.normal();
    atS = timeS;
    return factor;
  };
}

/** A working vial; doses repeat to 2 to 10 %, and the flow differs from the calibration by up to 30 %. */
function workingVial({ chance }: Plant, everyS: number): DosingCourse {
  const vial = chance.split(`vial read every ${everyS} s`);
  const draw = vial.split('draw');
  const hasBubbles = draw.chance(0.5);
  return {
    chance: vial,
    untilS: days * dayS,
    everyS,
    exchangeMl: draw.chance(0.5) ? 0.5 : 1,
    noise: noiseOf(draw.chance(0.5) ? 'typical' : 'wandering'),
    doseSpread: 0.02 * 5 ** draw.uniform(),
    factor: wornPump(vial.split('factor'), 0.7 + 0.6 * draw.uniform()),
    rate: growthOf(vial.split('growth')),
    disturbance: hasBubbles ? bubbleBursts(vial.split('bubbles'), 1 / 12) : () => 0,
  };
}

const nameOf = (everyS: number, kind: string): string => `a reading every ${everyS} s: ${kind} in ${days} days`;

/** The mean of a Poisson distribution of which a count of at most `count` has the given probability. */
function poissonMean(count: number, probability: number): number {
  const atMost = (mean: number): number => {
    let [term, sum] = [Math.exp(-mean), 0];
    for (let index = 0; index <= count; index += 1) {
      sum += term;
      term *= mean / (index + 1);
    }
    return sum;
  };
  let [low, high] = [0, 10 + 5 * (count + 1)];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (atMost(middle) > probability) low = middle;
    else high = middle;
  }
  return high;
}

function rates(runs: readonly (readonly ScienceFigure[])[], everyS: number): readonly ScienceFigure[] {
  const thousands = (runs.length * days) / 1000;
  const countOf = (of: readonly string[]): number => {
    const names = new Set(of.map((kind) => nameOf(everyS, kind)));
    return runs.flat().reduce((sum, { name, value }) => (names.has(name) ? sum + value : sum), 0);
  };
  const count = countOf(pausing);
  const name = `a reading every ${everyS} s: false pauses in 1,000 vial-days`;
  return [
    { name, unit: '', value: count / thousands, aim: { atMost: 1 } },
    {
      name: `${name}, lower end of 95 %`,
      unit: '',
      value: count === 0 ? 0 : poissonMean(count - 1, 0.975) / thousands,
    },
    { name: `${name}, upper end of 95 %`, unit: '', value: poissonMean(count, 0.025) / thousands },
    ...kinds.map((kind) => ({
      name: `a reading every ${everyS} s: ${kind} in 1,000 vial-days`,
      unit: '',
      value: countOf([kind]) / thousands,
    })),
  ];
}

/** What working pumps cost. */
export const falseFindingsCase: ScienceCase = {
  name: 'false-findings',
  about: `The evidence of the doses alone, with the decisions and extra readings of a turbidostat in 15 ml: ${days} days of a vial whose pumps work, at reading intervals of 5 to 120 s. Doses of 0.5 or 1 ml repeat to 2 to 10 % (3 % of them three times worse), the flow of the pump is off by up to 30 % and changes by 1 % in a day, growth drifts and changes within an hour about once a day, noise is 'typical' or 'wandering', every second vial has a burst of bubbles twice a day. Each finding is false; a wrong volume counts if the reported factor is off by more than 0.1. Limits by the Poisson distribution.`,
  run: (plant) =>
    intervalsS.flatMap((everyS): ScienceFigure[] => {
      const { findings, held, extraReadings } = dosingResult(workingVial(plant, everyS));
      return [
        ...kinds.map((kind) => ({
          name: nameOf(everyS, kind),
          unit: '',
          value: findings.filter(({ what }) => what === kind).length,
        })),
        { name: `a reading every ${everyS} s: time within ±5 %`, unit: '%', value: 100 * held },
        { name: `a reading every ${everyS} s: extra readings for each usual one`, unit: '', value: extraReadings },
      ];
    }),
  overall: (runs) => intervalsS.flatMap((everyS) => rates(runs, everyS)),
};
