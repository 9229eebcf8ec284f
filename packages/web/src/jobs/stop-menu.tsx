import { leaderApi } from '@lcs/contract';
import { Button, Menu, Text } from '@mantine/core';
import { useMatchRoute } from '@tanstack/react-router';
import type { Requirement } from '../services/gate.ts';
import { useUnits } from '../services/queries.ts';
import { useMay } from '../services/use-may.ts';
import { StopIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { stopsWords } from '../words/stops.ts';
import { offlineText } from './offline-text.ts';
import { leftOffBy, leftOffText, type OrderedScope } from './start-again.ts';
import styles from './stop-menu.module.css';
import { previewText, stopPreview } from './stop-preview.ts';
import { titleOfStop } from './stop-record.ts';
import type { Stops } from './use-stops.ts';

/** A stop that the menu offers: of pumps, of the experiment of the page, or of everything. */
export type OfferedStop = 'pumps' | 'experiment' | 'everything';

interface StopMenuProps {
  readonly stops: Stops;
  readonly isOpen: boolean;
  /** The one that the keyboard is on when the menu opens. */
  readonly marked: OfferedStop | null;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Says what each stop ends, and stops with the second click: pumps, an experiment or everything, on every page. */
export function StopMenu({ stops: { jobs, stop, nameOf, wantMenu }, isOpen, marked, onOpen }: StopMenuProps) {
  const offline = (useUnits().data ?? []).flatMap(({ reactor_unit, liveness }) =>
    liveness === 'online' ? [] : [nameOf(reactor_unit)],
  );
  const may = useMay();
  const matched = useMatchRoute()({ to: '/experiments/$experiment', fuzzy: true });
  const experiment = matched === false ? null : matched.experiment;
  const everything = { what: 'everything', experiment: null } as const;
  const closed = may(leaderApi.stopEverywhere);
  const isAnyOpen =
    closed.disabled !== true || (experiment !== null && may(leaderApi.stopWorkerJobsOfExperiment).disabled !== true);
  const leftOff = leftOffBy(everything, jobs);
  const item = (offered: OfferedStop, scope: OrderedScope, route: Requirement) => (
    <Menu.Item
      {...(offered === marked && { 'data-autofocus': true })}
      className={styles.item ?? ''}
      onClick={() => void stop(scope)}
      {...may(route)}
    >
      <span className={`danger ${styles.title}`}>{titleOfStop(scope, nameOf)}</span>
      <span className={styles.what}>{previewText(stopPreview(scope, jobs), nameOf)}</span>
    </Menu.Item>
  );
  return (
    <Menu
      position="bottom-end"
      width="min(420px, calc(100vw - 16px))"
      opened={isOpen}
      onChange={onOpen}
      onOpen={wantMenu}
    >
      <Menu.Target>
        <Button
          className={styles.button}
          size="xs"
          color="red.9"
          leftSection={<StopIcon size={14} />}
          onPointerEnter={wantMenu}
          onFocus={wantMenu}
          {...(isAnyOpen ? {} : closed)}
        >
          {commonWords.stop}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={styles.menu ?? ''}>
        {item('pumps', { what: 'pumps', experiment: null }, leaderApi.stopEverywhere)}
        {experiment !== null &&
          item('experiment', { what: 'everything', experiment }, leaderApi.stopWorkerJobsOfExperiment)}
        {item('everything', everything, leaderApi.stopEverywhere)}
        <div className={styles.note}>
          {offline.length > 0 && <Text size="sm">{offlineText(offline)}</Text>}
          <Text size="sm" c="dimmed">
            {stopsWords.stopMenuConsequence(leftOff.length > 0 && stopsWords.exceptThese(leftOffText(leftOff, nameOf)))}
          </Text>
        </div>
      </Menu.Dropdown>
    </Menu>
  );
}
