import { chemostatCase } from './chemostat-case.ts';
import { doseEvidenceCase } from './dose-evidence-case.ts';
import { dosingLimitsCase } from './dosing-limits-case.ts';
import { falseFindingsCase } from './false-findings-case.ts';
import { growthCase } from './growth-case.ts';
import { growthJobsCase } from './growth-jobs-case.ts';
import { growthSignalsCase } from './growth-signals-case.ts';
import { growthTurbidostatCase } from './growth-turbidostat-case.ts';
import { ledgerCase } from './ledger-case.ts';
import { morbidostatCase } from './morbidostat-case.ts';
import { roomCase } from './room-case.ts';
import type { ScienceCase } from './science-case.ts';
import { stirringCase } from './stirring.ts';
import { thermostatCase } from './thermostat.ts';
import { turbidostatCase } from './turbidostat-case.ts';
import { washOutCase } from './wash-out-case.ts';
import { wasteBoundCase } from './waste-bound-case.ts';
import { wasteByTemperatureCase } from './waste-by-temperature-case.ts';

/** All cases, in the order of the report. */
export const scienceCases: readonly ScienceCase[] = [
  growthCase,
  growthSignalsCase,
  growthJobsCase,
  growthTurbidostatCase,
  turbidostatCase,
  chemostatCase,
  washOutCase,
  doseEvidenceCase,
  wasteBoundCase,
  wasteByTemperatureCase,
  falseFindingsCase,
  dosingLimitsCase,
  morbidostatCase,
  ledgerCase,
  thermostatCase,
  roomCase,
  stirringCase,
];
