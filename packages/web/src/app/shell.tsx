import { Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation, useMatchRoute } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { JoinBadge } from '../inventory/join-badge.tsx';
import { StopMenu } from '../jobs/stop-menu.tsx';
import { StopNotice } from '../jobs/stop-notice.tsx';
import { type Stops, useStops } from '../jobs/use-stops.ts';
import { readNowSearch } from '../now/now-search.ts';
import { FlaskIcon } from '../ui/icons.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { useBackCloses } from '../ui/use-back-closes.ts';
import { usePhone } from '../ui/use-phone.ts';
import { appWords } from '../words/app.ts';
import { commonWords } from '../words/common.ts';
import { AccountMenu } from './account-menu.tsx';
import { ActingBar } from './acting-bar.tsx';
import { ClusterBadge, ClusterLine } from './cluster-badge.tsx';
import { ColorSchemeMenu } from './color-scheme-menu.tsx';
import { ConnectionBadge } from './connection-badge.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { entries, isAt } from './entries.tsx';
import { PhoneBar } from './phone-bar.tsx';
import { PinDialog } from './pin-dialog.tsx';
import { RoleNotice } from './role-notice.tsx';
import { RunningExperiments } from './running-experiments.tsx';
import { SearchButton } from './search-button.tsx';
import styles from './shell.module.css';
import { useCommands } from './use-commands.tsx';
import { VersionNotice } from './version-notice.tsx';

/** The name of the program, a link to the start page. */
const Product = () => (
  <Link to="/" className={styles.product} aria-label={commonWords.productName}>
    <span className={styles.mark}>
      <FlaskIcon size={18} />
    </span>
    <Text component="span" fw={650} visibleFrom="lg">
      {commonWords.productName}
    </Text>
    <Text component="abbr" fw={650} hiddenFrom="lg" title={commonWords.productName}>
      {appWords.lcs}
    </Text>
  </Link>
);

interface HeaderProps {
  /** On a phone it is in the bar. */
  readonly stopMenu: ReactNode;
  readonly onSearch: () => void;
  readonly isPhone: boolean;
  readonly isNow: boolean;
  readonly menuOpen: boolean;
  readonly onMenu: () => void;
}

function Header({ stopMenu, onSearch, isPhone, isNow, menuOpen, onMenu }: HeaderProps) {
  return (
    <header className={styles.header}>
      <Group h="100%" px={{ base: 'sm', sm: 'lg' }} justify="space-between" wrap="nowrap" gap="xs">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <Burger
            opened={menuOpen}
            onClick={onMenu}
            hiddenFrom="sm"
            size="sm"
            aria-label={appWords.navigation}
            aria-expanded={menuOpen}
          />
          <Product />
          {!isPhone && !isNow && <ClusterBadge />}
        </Group>
        <Group gap="xs" wrap="nowrap">
          <SearchButton onOpen={onSearch} />
          {stopMenu}
          <JoinBadge />
          <AlarmBadge />
          <ConnectionBadge />
          <ColorSchemeMenu />
          <AccountMenu />
        </Group>
      </Group>
    </header>
  );
}

interface NavigationProps {
  readonly pathname: string;
  /** On a phone: the menu is open. */
  readonly isOpen: boolean;
  readonly onChoose: () => void;
}

function Navigation({ pathname, isOpen, onChoose }: NavigationProps) {
  return (
    <nav className={styles.navigation} data-open={isOpen} aria-label={appWords.mainNavigation}>
      {entries.map((entry) => (
        <NavLink
          key={entry.to}
          renderRoot={(props) => <Link to={entry.to} activeOptions={{ exact: true }} {...props} />}
          onClick={onChoose}
          label={entry.label}
          leftSection={entry.icon}
          active={isAt(pathname, entry)}
          aria-current={isAt(pathname, entry) ? 'page' : undefined}
          className={styles.entry}
        />
      ))}
      <RunningExperiments pathname={pathname} onChoose={onChoose} />
    </nav>
  );
}

/** Moves the focus to a new page: it begins at its top, for keyboards and screen readers too. */
function useFocusOnNewPage(pathname: string, main: RefObject<HTMLElement | null>): void {
  const shownPath = useRef(pathname);
  useEffect(() => {
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname, main]);
}

/** What every page has above its content. */
const Page = ({ pathname, stops }: { readonly pathname: string; readonly stops: Stops }) => (
  <>
    <StopNotice stops={stops} />
    <ConnectionNotice />
    <VersionNotice />
    <RoleNotice />
    <ActingBar />
    <PinDialog />
    <PartBoundary part={appWords.thisPage} resetKey={pathname}>
      <Outlet />
    </PartBoundary>
  </>
);

/** The frame around every page. */
export function Shell() {
  const [menuOpen, { toggle, close }] = useDisclosure(false);
  useBackCloses(menuOpen, close);
  const { pathname, search } = useLocation();
  const isPhone = usePhone();
  const match = useMatchRoute();
  const matched = match({ to: '/experiments/$experiment', fuzzy: true });
  const experiment = matched === false ? undefined : matched.experiment;
  const ofUnit = match({ to: '/units/$unit' });
  const commands = useCommands({ experiment, unit: ofUnit === false ? undefined : ofUnit.unit });
  const stops = useStops();
  const stopMenu = (
    <StopMenu stops={stops} isOpen={commands.isStopping} marked={commands.markedStop} onOpen={commands.onStopping} />
  );
  const main = useRef<HTMLElement>(null);
  useFocusOnNewPage(pathname, main);
  if (pathname === '/' && readNowSearch(search).view === 'wall')
    return (
      <main ref={main} id="main" tabIndex={-1} className={styles.wall}>
        <Page pathname={pathname} stops={stops} />
      </main>
    );
  return (
    <div className={styles.frame}>
      <a className="skip-link" href="#main">
        {appWords.skipToContent}
      </a>
      <Header
        stopMenu={isPhone ? null : stopMenu}
        onSearch={commands.openPalette}
        isPhone={isPhone}
        isNow={pathname === '/'}
        menuOpen={menuOpen}
        onMenu={toggle}
      />
      <Navigation pathname={pathname} isOpen={menuOpen} onChoose={close} />
      <main ref={main} id="main" tabIndex={-1} className={styles.main}>
        {isPhone && pathname !== '/' && <ClusterLine />}
        <Page pathname={pathname} stops={stops} />
      </main>
      {isPhone && (
        <footer className={styles.footer}>
          <PhoneBar pathname={pathname} experiment={experiment} onNote={commands.openNote} stopMenu={stopMenu} />
        </footer>
      )}
      {commands.element}
    </div>
  );
}
