import type { JobDefinition } from '@lcs/platform';
import { growthRateCalculating } from './growth-rate/growth-rate-job.ts';
import { monitor } from './monitor/monitor-job.ts';
import { odReading } from './od-reading/od-reading-job.ts';
import { stirring } from './stirring/stirring-job.ts';
import { temperatureAutomation } from './temperature/temperature-job.ts';
import type { UnitDevices } from './unit-devices.ts';

/** The jobs that every unit can run. */
export const unitJobs = (devices: UnitDevices): readonly JobDefinition[] => [
  stirring(devices),
  odReading(devices),
  growthRateCalculating(devices),
  temperatureAutomation(devices),
  monitor(devices),
];
