import { leaderExamples } from './leader-data.ts';
import { showExamples } from './show-examples.ts';

showExamples(leaderExamples);
