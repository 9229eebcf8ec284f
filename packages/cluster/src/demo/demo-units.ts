import type { VialPlantSettings } from '@lcs/hardware';

/** Name of the demonstration's experiment. */
export const demoExperiment = 'yeast-batch-demo';

export const demoText =
  'Simulated yeast in batch culture at 25 °C. Try it: stop stirring, change its speed, start heating, dilute.';
export const demoTags = ['demo', 'yeast'];

/** Hours of the past that it begins with. */
export const pastHours = 24;

/** Units whose past is stored before the demonstration is ready. */
export const unitsBeforeReady = 8;

export const demoModel = { name: 'reactor_40ml', version: '1.5' } as const;

/** The jobs of a demonstration, in the order of their start. */
export const demoJobs: readonly {
  readonly job: string;
  readonly options: Readonly<Record<string, string | number>>;
}[] = [
  { job: 'stirring', options: {} },
  { job: 'od_reading', options: {} },
  { job: 'growth_rate_calculating', options: {} },
  { job: 'temperature_automation', options: { automation_name: 'only_record_temperature' } },
];

/**
 * OD at inoculation by unit, in turn: after a day at 25 °C some cultures have just become dense and others still grow.
 * Chosen on the vial model.
 */
const inocula = [0.0018, 0.0009, 0.0005, 0.0012, 0.0007, 0.0015, 0.0004, 0.001];

export interface DemoUnit {
  readonly name: string;
  readonly vial: VialPlantSettings;
}

/** `count` units, called unit1, unit2, …; growth runs `speed` times faster from now on. */
export const demoUnits = (count: number, speed: number): readonly DemoUnit[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `unit${index + 1}`,
    vial: {
      unit: `unit${index + 1}`,
      capacityMl: 40,
      ambientC: 25,
      initialOd: inocula[index % inocula.length] ?? 0.001,
      speed,
    },
  }));
