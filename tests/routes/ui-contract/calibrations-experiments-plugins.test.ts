import { calibrations } from './pages/calibrations.ts';
import { experiments, plugins } from './pages/experiments.ts';
import { showPages } from './show-page.ts';

showPages(calibrations, experiments, plugins);
