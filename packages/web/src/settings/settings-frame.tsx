import { Link, Outlet } from '@tanstack/react-router';
import { useMay } from '../services/use-may.ts';
import styles from './settings-frame.module.css';
import { settingsPages } from './settings-pages.ts';

/** What is not biology: the parts of the settings, above the chosen one. */
export function SettingsFrame() {
  const may = useMay();
  const visible = settingsPages.filter(({ needs }) => needs === undefined || !may(needs).disabled);
  return (
    <>
      <nav aria-label="Settings" className={styles.parts}>
        {visible.map(({ to, label }) => (
          <Link key={to} to={to} className={styles.part} activeProps={{ 'aria-current': 'page' }}>
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
}
