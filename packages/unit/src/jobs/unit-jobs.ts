import type { JobDefinition } from '@lcs/node';
import { dosingAutomation } from './dosing-automation/dosing-job.ts';
import { growthRateCalculating } from './growth-rate/growth-rate-job.ts';
import { ledAutomation } from './led-automation/led-job.ts';
import { ledIntensity } from './led-intensity/led-intensity-job.ts';
import { monitor } from './monitor/monitor-job.ts';
import { odBlank } from './od-blank/od-blank-job.ts';
import { odReading } from './od-reading/od-reading-job.ts';
import { pumpActions } from './pumps/pump-jobs.ts';
import { selfTest } from './self-test/self-test-job.ts';
import { stirring } from './stirring/stirring-job.ts';
import { temperatureAutomation } from './temperature/temperature-job.ts';
import type { UnitDevices } from './unit-devices.ts';

/** The jobs that every unit can run. */
export const unitJobs = (devices: UnitDevices): readonly JobDefinition[] => [
  stirring(devices),
  odReading(devices),
  odBlank(devices),
  growthRateCalculating(devices),
  temperatureAutomation(devices),
  dosingAutomation(devices),
  ledAutomation(devices),
  ledIntensity(devices),
  ...pumpActions(devices),
  selfTest(devices),
  monitor(devices),
];
