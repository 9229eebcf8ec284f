import { AppShell, Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { BellIcon, CurveIcon, FlaskIcon, ScreenIcon, SlidersIcon } from '../ui/icons.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ColorSchemeMenu } from './color-scheme-menu.tsx';
import { ConnectionBadge } from './connection-badge.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { RunningExperiments } from './running-experiments.tsx';
import styles from './shell.module.css';
import { VersionNotice } from './version-notice.tsx';

const headerHeight = 52;
const navigationWidth = 196;

/** The frame around every page. */
export function Shell() {
  const [menuOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const shownPath = useRef(pathname);
  useEffect(() => {
    // Another page begins at its top, for keyboards and readers too.
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <AppShell
      header={{ height: headerHeight }}
      navbar={{ width: navigationWidth, breakpoint: 'sm', collapsed: { mobile: !menuOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
      transitionDuration={0}
    >
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <AppShell.Header className={styles.surface}>
        <Group h="100%" px={{ base: 'sm', sm: 'lg' }} justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Burger
              opened={menuOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Navigation"
              aria-expanded={menuOpen}
            />
            <Link to="/experiments" className={styles.product}>
              <span className={styles.mark}>
                <FlaskIcon size={18} />
              </span>
              <Text component="span" fw={650} visibleFrom="sm">
                Leader Control Service
              </Text>
              <Text component="abbr" fw={650} hiddenFrom="sm" title="Leader Control Service">
                LCS
              </Text>
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <AlarmBadge />
            <ConnectionBadge />
            <ColorSchemeMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={styles.surface} p="xs" aria-label="Main">
        <NavLink
          renderRoot={(props) => <Link to="/experiments" activeOptions={{ exact: true }} {...props} />}
          onClick={close}
          label="Experiments"
          leftSection={<FlaskIcon />}
          active={pathname === '/experiments'}
          aria-current={pathname === '/experiments' ? 'page' : undefined}
          className={styles.entry}
        />
        <NavLink
          renderRoot={(props) => <Link to="/calibrations" {...props} />}
          onClick={close}
          label="Calibrations"
          leftSection={<CurveIcon />}
          active={pathname === '/calibrations'}
          aria-current={pathname === '/calibrations' ? 'page' : undefined}
          className={styles.entry}
        />
        <NavLink
          renderRoot={(props) => <Link to="/config" {...props} />}
          onClick={close}
          label="Configuration"
          leftSection={<SlidersIcon />}
          active={pathname === '/config'}
          aria-current={pathname === '/config' ? 'page' : undefined}
          className={styles.entry}
        />
        <NavLink
          renderRoot={(props) => <Link to="/alarms" {...props} />}
          onClick={close}
          label="Alarms"
          leftSection={<BellIcon />}
          active={pathname === '/alarms'}
          aria-current={pathname === '/alarms' ? 'page' : undefined}
          className={styles.entry}
        />
        <NavLink
          renderRoot={(props) => <Link to="/system" {...props} />}
          onClick={close}
          label="System"
          leftSection={<ScreenIcon />}
          active={pathname === '/system'}
          aria-current={pathname === '/system' ? 'page' : undefined}
          className={styles.entry}
        />
        <RunningExperiments pathname={pathname} onChoose={close} />
      </AppShell.Navbar>
      <AppShell.Main ref={main} id="main" tabIndex={-1} className={styles.main}>
        <ConnectionNotice />
        <VersionNotice />
        <PartBoundary part="This page" resetKey={pathname}>
          <Outlet />
        </PartBoundary>
      </AppShell.Main>
    </AppShell>
  );
}
