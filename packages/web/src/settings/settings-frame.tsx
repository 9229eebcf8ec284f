import { Stack } from '@mantine/core';
import { Link, Outlet } from '@tanstack/react-router';
import { useMay } from '../services/use-may.ts';
import styles from '../ui/path-tabs.module.css';
import { commonWords } from '../words/common.ts';
import { settingsPages } from './settings-pages.ts';

/** What is not biology: the parts of the settings, above the chosen one. */
export function SettingsFrame() {
  const may = useMay();
  const visible = settingsPages.filter(({ needs }) => needs === undefined || !may(needs).disabled);
  return (
    <Stack>
      <nav aria-label={commonWords.settings} className={styles.tabs}>
        {visible.map(({ to, label }) => (
          <Link key={to} to={to} className={styles.tab} activeProps={{ 'aria-current': 'page' }}>
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Stack>
  );
}
