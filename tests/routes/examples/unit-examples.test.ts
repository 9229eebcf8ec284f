import { showExamples } from './show-examples.ts';
import { unitExamples } from './unit-data.ts';

showExamples(unitExamples);
