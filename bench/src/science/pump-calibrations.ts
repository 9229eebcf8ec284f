import type { PumpFlow } from '@lcs/domain';
import { fitPumpLine } from '../../../packages/domain/src/curves/fit-pump-line.ts';
import { pulsesOf, testDurations } from '../../../packages/domain/src/protocols/pump-protocol.ts';
import type { PumpCalibrationOf } from '../../../packages/unit/src/jobs/pumps/pump-settings.ts';
import { type Plant, plants } from './plants.ts';

const parameterOf = { media: 'pumps.media', alt_media: 'pumps.altMedia', waste: 'pumps.waste' } as const;
type Pump = keyof typeof parameterOf;
const isPump = (name: string): name is Pump => name in parameterOf;

function pumpOf(device: string): Pump {
  const name = device.replace(/_pump$/, '');
  if (!isPump(name)) throw new Error(`${device} must be a pump.`);
  return name;
}

const calibrations = (flowOf: (pump: Pump) => PumpFlow): PumpCalibrationOf => {
  const known = new Map<Pump, PumpFlow>();
  return (device) => {
    const pump = pumpOf(device);
    const flow = known.get(pump) ?? flowOf(pump);
    known.set(pump, flow);
    return { name: `${device}-1`, duty: 100, flow };
  };
};

/** `slope` in ml/s; `deficitMl` is lost at each start. */
const line = (slope: number, deficitMl = 0): PumpFlow => ({
  volumeIn: (seconds) => Math.max(0, slope * seconds - deficitMl),
  secondsFor: (volumeMl) => (volumeMl + deficitMl) / slope,
});

/** What the pumps of this plant give on average, as nobody can know it: what is left is their noise from run to run. */
export const exactPumps = (plant: Plant, deficitMl: number = plants.pumpNoise.startDeficitMl): PumpCalibrationOf =>
  calibrations((pump) => line(plant.of(parameterOf[pump]), deficitMl));

/** Hundredths of a gram: the scale that the guided calibration asks for. */
const onScale = (volumeMl: number): number => Math.round(100 * volumeMl) / 100;

/** As the guided calibration of the service makes them: its ten runs of these noisy pumps, weighed, for these volumes. */
export const weighedPumps = (plant: Plant, ...volumesMl: readonly number[]): PumpCalibrationOf =>
  calibrations((pump) => {
    const chance = plant.chance.split(`calibration of ${pump}`);
    const { runDeviation, startDeficitMl } = plants.pumpNoise;
    const flow = plant.of(parameterOf[pump]);
    const pulse = (seconds: number): number =>
      Math.max(0, flow * seconds * (1 + runDeviation * chance.normal()) - startDeficitMl);
    const weighed = (seconds: number, pulses: number): number =>
      onScale(Array.from({ length: pulses }, () => pulse(seconds)).reduce((sum, ml) => sum + ml, 0)) / pulses;
    const trialMl = weighed(1, 1);
    const runs = testDurations(volumesMl, trialMl).map((x) => ({ x, pulses: pulsesOf(x, trialMl) }));
    const fitted = fitPumpLine(runs.map(({ x, pulses }) => ({ x, y: weighed(x, pulses), pulses })));
    if (fitted === undefined) throw new Error(`The runs of ${pump} make no line.`);
    return line(fitted.slope, fitted.startLossMl);
  });

/** Pumps that were taken for usual ones: in a plant that is off, each is off by up to 30 %, and nobody knows. */
export const takenForUsual: PumpCalibrationOf = calibrations((pump) => {
  const name = parameterOf[pump];
  const value = plants.parameters.find((parameter) => parameter.name === name)?.value;
  if (value === undefined) throw new Error(`plants.json has no parameter ${name}`);
  return line(value);
});
