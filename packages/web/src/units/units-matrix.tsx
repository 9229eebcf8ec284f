import type { LiveJob, UnitStatus } from '@lcs/contract';
import { Button, Checkbox, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, memo, useCallback, useMemo, useState } from 'react';
import type { AssignedWorker } from '../assignments/assigned-workers.ts';
import { useFleetJobs } from '../jobs/use-job-catalog.ts';
import { useReadingsOf } from '../latest/use-latest.tsx';
import { useJobs, useReplicateGroups } from '../services/queries.ts';
import { useJobsOfUnit, useStatusOfUnit } from '../services/use-by-unit.ts';
import { useLastKnown, useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { fixedText } from '../ui/number-text.ts';
import { useFullNames } from '../ui/unit-name.tsx';
import { commonWords } from '../words/common.ts';
import { unitsWords } from '../words/units.ts';
import { BulkBar } from './bulk-bar.tsx';
import { columnTitle, type MatrixCell, matrixCell } from './matrix-cells.ts';
import { doubtOf, isUnfounded, lastKnownText, oldNote } from './reading-note.ts';
import { noSelection, type Selection, selectionOf, unitGroups, withRange, withToggled } from './selection.ts';
import styles from './units-matrix.module.css';

interface MatrixRowProps {
  readonly experiment: string;
  readonly unit: string;
  readonly name: string;
  readonly isOnline: boolean;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  /** The leader does not answer: the states are of before. */
  readonly isPast: boolean;
  readonly cells: readonly MatrixCell[];
  readonly titles: readonly string[];
  readonly onChoose: (unit: string, isRange: boolean) => void;
}

/** The OD; grey when it may no longer be true, with the reason below it. */
function Density({ unit, experiment, isPast }: Pick<MatrixRowProps, 'unit' | 'experiment' | 'isPast'>) {
  const reading = useReadingsOf(unit).get('od');
  const status = useStatusOfUnit(unit);
  const jobs = useJobsOfUnit(unit);
  const nowMs = useLeaderNow();
  const own = jobs.filter((job) => job.experiment === experiment);
  const old = useTicking(() => {
    const now = nowMs();
    return oldNote({ source: 'od', reading, jobs: own, knownAt: lastKnownText(status, now) ?? '' }, now);
  });
  const note = old || (reading === undefined ? '' : doubtOf('od', own));
  return (
    <td className={styles.number} data-old={isPast || old !== '' || isUnfounded('od', own) || undefined}>
      {reading === undefined ? '–' : fixedText(reading.y, 3)}
      {note !== '' && <span className={styles.note}>{note}</span>}
    </td>
  );
}

const sameCells = (one: readonly MatrixCell[], other: readonly MatrixCell[]): boolean =>
  one.length === other.length && one.every(({ title }, index) => title === other[index]?.title);

/** Values of running jobs come every few seconds: only rows that change are drawn. */
const MatrixRow = memo(
  function MatrixRow(props: MatrixRowProps) {
    const { experiment, unit, name, isOnline, isActive, isChosen, isPast, cells, titles, onChoose } = props;
    return (
      <tr data-unit={unit} data-chosen={isChosen || undefined} data-past={isPast || !isOnline || undefined}>
        <td className={styles.check}>
          <Checkbox
            aria-label={commonWords.selectNamed(name)}
            checked={isChosen}
            onClick={(event) => onChoose(unit, event.shiftKey)}
            // The click decides: it knows whether a range is meant.
            onChange={() => {}}
          />
        </td>
        <th scope="row" className={styles.name}>
          <Link to="/units/$unit" params={{ unit }} className="page-link" title={name === unit ? undefined : unit}>
            {name}
          </Link>
          {!isActive && <span className={styles.remark}> {commonWords.inactive}</span>}
          {!isOnline && <span className={styles.remark}> {commonWords.offline}</span>}
        </th>
        <Density unit={unit} experiment={experiment} isPast={isPast} />
        {cells.map(({ phase, text, title }, index) => (
          <td key={titles[index]} className={styles.cell} data-phase={phase} title={`${titles[index]}: ${title}`}>
            {text}
          </td>
        ))}
      </tr>
    );
  },
  (before, after) =>
    sameCells(before.cells, after.cells) &&
    before.experiment === after.experiment &&
    before.name === after.name &&
    before.isOnline === after.isOnline &&
    before.isActive === after.isActive &&
    before.isChosen === after.isChosen &&
    before.isPast === after.isPast &&
    before.titles === after.titles &&
    before.onChoose === after.onChoose,
);

interface SelectMenuProps {
  readonly experiment: string;
  readonly order: readonly string[];
  readonly nameOf: (unit: string) => string;
  readonly running: readonly LiveJob[];
  readonly onSelect: (units: readonly string[]) => void;
}

/** Selects units that belong together. */
function SelectMenu({ experiment, order, nameOf, running, onSelect }: SelectMenuProps) {
  const groups = unitGroups(order, useReplicateGroups(experiment) ?? [], nameOf);
  const busy = new Set(
    running.filter((job) => job.experiment === experiment && job.state === 'ready').map((job) => job.reactor_unit),
  );
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Button size="compact-sm" variant="subtle">
          {unitsWords.select}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onSelect(order)}>{commonWords.allOfThem(order.length)}</Menu.Item>
        <Menu.Item onClick={() => onSelect([])}>{unitsWords.none}</Menu.Item>
        <Menu.Item onClick={() => onSelect(order.filter((unit) => !busy.has(unit)))}>
          {unitsWords.thoseWithoutJob}
        </Menu.Item>
        {groups.length > 0 && <Menu.Divider />}
        {groups.map(({ name, units }) => (
          <Menu.Item key={name} onClick={() => onSelect(units)}>
            {name} ({units.length})
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Moves the focus between the boxes of the rows; Ctrl A selects all, Escape none. */
function moveFocus(event: KeyboardEvent<HTMLElement>, onSelect: (all: boolean) => void): void {
  if (event.key === 'Escape') onSelect(false);
  if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    onSelect(true);
  }
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const { currentTarget: table, target } = event;
  const boxes = [...table.querySelectorAll<HTMLInputElement>('tbody input[type="checkbox"]')];
  const at = target instanceof HTMLInputElement ? boxes.indexOf(target) : -1;
  if (at === -1) return;
  event.preventDefault();
  boxes[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
}

interface UnitsMatrixProps {
  readonly experiment: string;
  readonly assigned: readonly AssignedWorker[];
  readonly statuses: readonly UnitStatus[] | undefined;
  readonly nameOf: (unit: string) => string;
}

/** All units of an experiment with their jobs, one row each, and what can be done with several of them at once. */
export function UnitsMatrix({ experiment, assigned, statuses, nameOf }: UnitsMatrixProps) {
  const fullNameOf = useFullNames(nameOf);
  const jobs = useJobs();
  const lastKnown = useLastKnown();
  const [selection, setSelection] = useState<Selection>(noSelection);
  const order = useMemo(() => assigned.map(({ unit }) => unit), [assigned]);
  const online = useMemo(
    () => new Set(statuses?.filter(({ liveness }) => liveness === 'online').map(({ reactor_unit }) => reactor_unit)),
    [statuses],
  );
  const isOnline = useCallback((unit: string) => online.has(unit), [online]);
  const fleet = useFleetJobs(order, isOnline);
  const titles = useMemo(() => fleet.jobs.map(({ title }) => title), [fleet.jobs]);
  const choose = useCallback(
    (unit: string, isRange: boolean) =>
      setSelection((before) => (isRange ? withRange(before, order, unit) : withToggled(before, unit))),
    [order],
  );
  const inactive = useMemo(
    () => new Set(assigned.flatMap(({ unit, isActive }) => (isActive ? [] : [unit]))),
    [assigned],
  );
  const chosen = useMemo(() => order.filter((unit) => selection.chosen.has(unit)), [order, selection]);
  const select = (units: readonly string[]): void => setSelection(selectionOf(units));
  return (
    <div className={styles.matrix}>
      <SelectMenu experiment={experiment} order={order} nameOf={nameOf} running={jobs ?? []} onSelect={select} />
      <div className={styles.scroll}>
        <table
          className={styles.table}
          aria-label={unitsWords.jobsOfAllUnits}
          onKeyDown={(event) => moveFocus(event, (all) => select(all ? order : []))}
        >
          <thead>
            <tr>
              <td className={styles.check}>
                <Checkbox
                  aria-label={commonWords.selectAllUnits}
                  checked={chosen.length === order.length && order.length > 0}
                  indeterminate={chosen.length > 0 && chosen.length < order.length}
                  onChange={() => select(chosen.length === order.length ? [] : order)}
                />
              </td>
              <th scope="col" className={styles.name}>
                {commonWords.unit}
              </th>
              <th scope="col">{unitsWords.odNow}</th>
              {fleet.jobs.map((job) => (
                <th key={job.name} scope="col" title={job.title}>
                  {columnTitle(job)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {assigned.map(({ unit, isActive }) => (
              <MatrixRow
                key={unit}
                experiment={experiment}
                unit={unit}
                name={nameOf(unit)}
                isOnline={statuses === undefined || online.has(unit)}
                isActive={isActive}
                isChosen={selection.chosen.has(unit)}
                isPast={lastKnown !== null}
                cells={fleet.jobs.map((job) => matrixCell(job, jobs, unit, experiment))}
                titles={titles}
                onChoose={choose}
              />
            ))}
          </tbody>
        </table>
      </div>
      {lastKnown !== null && <p className={styles.remark}>{commonWords.lastKnown(lastKnown)}</p>}
      <BulkBar
        experiment={experiment}
        chosen={chosen}
        inactive={inactive}
        isOnline={isOnline}
        nameOf={fullNameOf}
        fleet={fleet}
        jobs={jobs ?? []}
      />
    </div>
  );
}
