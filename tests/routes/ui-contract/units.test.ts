import { oneUnit, units } from './pages/units.ts';
import { showPages } from './show-page.ts';

showPages(oneUnit, units);
