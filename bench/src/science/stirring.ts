import { jobWorld } from './job-world.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

const firstRpm = 500;
const secondRpm = 800;

/** Seconds between two looks at the true speed. */
const lookS = 0.25;
const settleWithinS = 10;
/** How long a speed is watched for its settling, and then held. */
const watchedS = 40;
const heldS = 1800;

const near = 0.02;

type Unit = Awaited<ReturnType<typeof jobWorld>>;

interface Look {
  readonly atS: number;
  readonly rpm: number;
}

async function watch(unit: Unit, seconds: number, everyS: number): Promise<readonly Look[]> {
  const looks: Look[] = [];
  for (let atS = everyS; atS <= seconds; atS += everyS) {
    await unit.pass(everyS);
    // The plant comes up to the present only when somebody asks.
    unit.plant.boardCelsius(unit.clock.monotonic());
    looks.push({ atS, rpm: unit.plant.vial.state.stirrer.rpm });
  }
  return looks;
}

const isNear = (rpm: number, targetRpm: number) => Math.abs(rpm / targetRpm - 1) <= near;

/** Seconds until the true speed is within 2 % and stays there for ten seconds. */
function settledAfterS(looks: readonly Look[], targetRpm: number): number {
  const staysS = 10;
  const found = looks.find(({ atS }) =>
    looks.filter((look) => look.atS >= atS && look.atS < atS + staysS).every(({ rpm }) => isNear(rpm, targetRpm)),
  );
  return found?.atS ?? Number.NaN;
}

function held(looks: readonly Look[], targetRpm: number, name: string): readonly ScienceFigure[] {
  const share = looks.filter(({ rpm }) => isNear(rpm, targetRpm)).length / looks.length;
  const errors = looks.map(({ rpm }) => (rpm / targetRpm - 1) ** 2);
  const rms = 100 * Math.sqrt(errors.reduce((sum, error) => sum + error, 0) / errors.length);
  return [
    { name: `${name}: time within ±2 % in 30 min`, unit: '%', value: 100 * share, aim: { atLeast: 90 } },
    { name: `${name}: RMS error in 30 min`, unit: '%', value: rms, aim: { atMost: 2 } },
  ];
}

/** The job `stirring` without a calibration, its start and a change of its target. */
export const stirringCase: ScienceCase = {
  name: 'stirring',
  about:
    'The job stirring, without a calibration, starts at 500 RPM, holds it for 30 min, and changes to 800 RPM. Figures are of the true speed.',
  run: async (plant) => {
    await using unit = await jobWorld(plant);
    await unit.run('stirring', { options: { target_rpm: firstRpm } });
    const first = await watch(unit, watchedS, lookS);
    const holding = await watch(unit, heldS, 5);
    await unit.runtime.update({ jobName: 'stirring' }, { target_rpm: secondRpm }, 'http');
    const second = await watch(unit, watchedS, lookS);
    const aim = { atMost: settleWithinS };
    return [
      { name: 'start: time until it stays within ±2 %', unit: 's', value: settledAfterS(first, firstRpm), aim },
      ...held(holding, firstRpm, 'hold'),
      { name: 'new target: time until it stays within ±2 %', unit: 's', value: settledAfterS(second, secondRpm), aim },
    ];
  },
};
