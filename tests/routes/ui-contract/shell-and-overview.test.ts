import { overview } from './pages/overview.ts';
import { shell } from './pages/shell.ts';
import { showPages } from './show-page.ts';

showPages(shell, overview);
