import { inventory, leaderPage } from './pages/inventory.ts';
import { showPages } from './show-page.ts';

showPages(leaderPage, inventory);
