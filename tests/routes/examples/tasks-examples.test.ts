import { showExamples } from './show-examples.ts';
import { taskExamples } from './tasks-data.ts';

showExamples(taskExamples);
