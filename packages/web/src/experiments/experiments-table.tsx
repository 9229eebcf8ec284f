import { Checkbox, Table, Text, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ArrowDownIcon, ArrowUpIcon } from '../ui/icons.tsx';
import { LongRows, type RowPlace, rowCountOf } from '../ui/long-table.tsx';
import { Day } from '../ui/moments.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { commonWords } from '../words/common.ts';
import { experimentsWords } from '../words/experiments.ts';
import type { Duplicate, OpenDialog } from './dialogs.ts';
import type { ExperimentRow } from './experiment-rows.ts';
import { StatusBadge, Tags, WorkerCount } from './experiment-text.tsx';
import styles from './experiments-table.module.css';
import type { SortColumn, SortOrder } from './list-search.ts';
import { RowMenu } from './row-menu.tsx';

/** Columns in their order, with their share of the width. */
const columns: readonly { readonly column: SortColumn; readonly title: string; readonly width: string }[] = [
  { column: 'name', title: commonWords.name, width: 'auto' },
  { column: 'status', title: experimentsWords.status, width: '98px' },
  { column: 'organism', title: commonWords.organism, width: '15%' },
  { column: 'tags', title: commonWords.tags, width: '13%' },
  { column: 'workers', title: commonWords.units, width: '66px' },
  { column: 'created', title: commonWords.created, width: '126px' },
  { column: 'ended', title: commonWords.ended, width: '116px' },
];

interface ExperimentsTableProps {
  readonly rows: readonly ExperimentRow[];
  readonly sort: { readonly column: SortColumn; readonly order: SortOrder };
  readonly onSort: (column: SortColumn) => void;
  readonly onDialog: OpenDialog;
  readonly onDuplicate: Duplicate;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (experiment: string) => void;
}

function SortHead({
  column,
  title,
  width,
  sort,
  onSort,
}: (typeof columns)[number] & Pick<ExperimentsTableProps, 'sort' | 'onSort'>) {
  const isSorted = sort.column === column;
  const Arrow = sort.order === 'asc' ? ArrowUpIcon : ArrowDownIcon;
  return (
    <Table.Th w={width} {...(isSorted ? { 'aria-sort': sort.order === 'asc' ? 'ascending' : 'descending' } : {})}>
      <UnstyledButton className={styles.sort} onClick={() => onSort(column)}>
        {title}
        <span className={styles.arrow} data-shown={isSorted}>
          <Arrow size={13} />
        </span>
      </UnstyledButton>
    </Table.Th>
  );
}

interface RowProps extends Pick<ExperimentsTableProps, 'onDialog' | 'onDuplicate' | 'onSelect'> {
  readonly row: ExperimentRow;
  readonly place: RowPlace;
  readonly isSelected: boolean;
}

function Row({ row, place, isSelected, onSelect, onDialog, onDuplicate }: RowProps) {
  const { experiment, description, created_by } = row.experiment;
  const { organism, medium, tags } = row.design;
  return (
    <Table.Tr data-selected={isSelected || undefined} {...place}>
      <Table.Td className={styles.check}>
        <Checkbox
          aria-label={experimentsWords.compareNamed(experiment)}
          checked={isSelected}
          onChange={() => onSelect(experiment)}
        />
      </Table.Td>
      <Table.Th scope="row" fw={600}>
        <div>
          <Link to="/experiments/$experiment" params={{ experiment }} className="page-link">
            {experiment}
          </Link>
        </div>
        {description && (
          <Text size="sm" fw={400} c="dimmed" lineClamp={1} title={description}>
            {description}
          </Text>
        )}
      </Table.Th>
      <Table.Td>
        <StatusBadge row={row} />
      </Table.Td>
      <Table.Td>
        {organism}
        {medium !== '' && (
          <Text size="sm" c="dimmed" lineClamp={1} title={medium}>
            {medium}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Tags tags={tags} dense />
      </Table.Td>
      <Table.Td>
        <WorkerCount workers={row.workers} />
      </Table.Td>
      <Table.Td>
        <Day ms={row.createdAtMs} />
        {created_by !== undefined && (
          <Text size="sm" c="dimmed" lineClamp={1} title={created_by}>
            {commonWords.byPerson(created_by)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{row.endedAtMs !== null && <Day ms={row.endedAtMs} />}</Table.Td>
      <Table.Td className={styles.menu}>
        <RowMenu row={row} onDialog={onDialog} onDuplicate={onDuplicate} />
      </Table.Td>
    </Table.Tr>
  );
}

const nameOfRow = ({ experiment }: ExperimentRow): string => experiment.experiment;

/** The list on a wide screen. */
export function ExperimentsTable({ rows, sort, onSort, selected, ...actions }: ExperimentsTableProps) {
  return (
    <div className={styles.frame}>
      <Table
        layout="fixed"
        verticalSpacing={7}
        horizontalSpacing="sm"
        className={styles.table}
        aria-label={commonWords.experiments}
        {...rowCountOf(rows)}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="44px">
              <span className={styles.hidden}>{commonWords.compare}</span>
            </Table.Th>
            {columns.map((column) => (
              <SortHead key={column.column} {...column} sort={sort} onSort={onSort} />
            ))}
            <Table.Th w="48px">
              <span className={styles.hidden}>{commonWords.actions}</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <LongRows rows={rows} keyOf={nameOfRow} estimatedPx={56} kind="table">
            {(row, place) => (
              <PartBoundary
                part={row.experiment.experiment}
                resetKey={row.experiment}
                fallback={
                  <Table.Tr {...place}>
                    <Table.Td colSpan={columns.length + 2}>
                      {commonWords.couldNotBeShown(row.experiment.experiment)}
                    </Table.Td>
                  </Table.Tr>
                }
              >
                <Row row={row} place={place} isSelected={selected.has(row.experiment.experiment)} {...actions} />
              </PartBoundary>
            )}
          </LongRows>
        </Table.Tbody>
      </Table>
    </div>
  );
}
