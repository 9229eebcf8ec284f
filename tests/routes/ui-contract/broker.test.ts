import { broker } from './pages/broker.ts';
import { showPages } from './show-page.ts';

showPages(broker);
