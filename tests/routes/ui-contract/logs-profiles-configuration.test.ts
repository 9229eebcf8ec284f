import { configuration } from './pages/configuration.ts';
import { logs } from './pages/logs.ts';
import { profiles } from './pages/profiles.ts';
import { showPages } from './show-page.ts';

showPages(logs, profiles, configuration);
