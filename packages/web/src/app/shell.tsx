import { AppShell, Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { JoinBadge } from '../inventory/join-badge.tsx';
import { StopMenu } from '../jobs/stop-menu.tsx';
import {
  BellIcon,
  CurveIcon,
  FlaskIcon,
  ListIcon,
  PersonIcon,
  ScreenIcon,
  SlidersIcon,
  UnitIcon,
} from '../ui/icons.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { AccountMenu } from './account-menu.tsx';
import { ActingBar } from './acting-bar.tsx';
import { ColorSchemeMenu } from './color-scheme-menu.tsx';
import { ConnectionBadge } from './connection-badge.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { PinDialog } from './pin-dialog.tsx';
import { RoleNotice } from './role-notice.tsx';
import { RunningExperiments } from './running-experiments.tsx';
import styles from './shell.module.css';

import { VersionNotice } from './version-notice.tsx';

const headerHeight = 52;
const navigationWidth = 196;

interface Entry {
  readonly to:
    | '/experiments'
    | '/units'
    | '/protocols'
    | '/calibrations'
    | '/config'
    | '/alarms'
    | '/people'
    | '/system';
  readonly label: string;
  readonly icon: ReactNode;
}

const entries: readonly Entry[] = [
  { to: '/experiments', label: 'Experiments', icon: <FlaskIcon /> },
  { to: '/units', label: 'Units', icon: <UnitIcon /> },
  { to: '/protocols', label: 'Protocols', icon: <ListIcon /> },
  { to: '/calibrations', label: 'Calibrations', icon: <CurveIcon /> },
  { to: '/config', label: 'Configuration', icon: <SlidersIcon /> },
  { to: '/alarms', label: 'Alarms', icon: <BellIcon /> },
  { to: '/people', label: 'People', icon: <PersonIcon /> },
  { to: '/system', label: 'System', icon: <ScreenIcon /> },
];

/** The name of the program, a link to the list of experiments. */
const Product = () => (
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
);

function Header({ menuOpen, onMenu }: { readonly menuOpen: boolean; readonly onMenu: () => void }) {
  return (
    <AppShell.Header className={styles.surface}>
      <Group h="100%" px={{ base: 'sm', sm: 'lg' }} justify="space-between" wrap="nowrap" gap="xs">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <Burger
            opened={menuOpen}
            onClick={onMenu}
            hiddenFrom="sm"
            size="sm"
            aria-label="Navigation"
            aria-expanded={menuOpen}
          />
          <Product />
        </Group>
        <Group gap="xs" wrap="nowrap">
          <StopMenu />
          <JoinBadge />
          <AlarmBadge />
          <ConnectionBadge />
          <ColorSchemeMenu />
          <AccountMenu />
        </Group>
      </Group>
    </AppShell.Header>
  );
}

function Navigation({ pathname, onChoose }: { readonly pathname: string; readonly onChoose: () => void }) {
  return (
    <AppShell.Navbar className={styles.surface} p="xs" aria-label="Main">
      {entries.map(({ to, label, icon }) => (
        <NavLink
          key={to}
          renderRoot={(props) => <Link to={to} activeOptions={{ exact: true }} {...props} />}
          onClick={onChoose}
          label={label}
          leftSection={icon}
          active={pathname === to}
          aria-current={pathname === to ? 'page' : undefined}
          className={styles.entry}
        />
      ))}
      <RunningExperiments pathname={pathname} onChoose={onChoose} />
    </AppShell.Navbar>
  );
}

/** The frame around every page. */
export function Shell() {
  const [menuOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const shownPath = useRef(pathname);
  useEffect(() => {
    // A new page begins at its top, for keyboards and screen readers too.
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
      <Header menuOpen={menuOpen} onMenu={toggle} />
      <Navigation pathname={pathname} onChoose={close} />
      <AppShell.Main ref={main} id="main" tabIndex={-1} className={styles.main}>
        <ConnectionNotice />
        <VersionNotice />
        <RoleNotice />
        <ActingBar />
        <PinDialog />
        <PartBoundary part="This page" resetKey={pathname}>
          <Outlet />
        </PartBoundary>
      </AppShell.Main>
    </AppShell>
  );
}
