import { Table, Text, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ArrowDownIcon, ArrowUpIcon } from '../ui/icons.tsx';
import { Elapsed, Moment } from '../ui/moments.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import type { Duplicate, OpenDialog } from './dialogs.ts';
import type { ExperimentRow } from './experiment-rows.ts';
import { StatusBadge, Tags, WorkerCount } from './experiment-text.tsx';
import styles from './experiments-table.module.css';
import type { SortColumn, SortOrder } from './list-search.ts';
import { RowMenu } from './row-menu.tsx';

/** Columns in their order, with their share of the width. */
const columns: readonly { readonly column: SortColumn; readonly title: string; readonly width: string }[] = [
  { column: 'name', title: 'Name', width: '17%' },
  { column: 'status', title: 'Status', width: '88px' },
  { column: 'tags', title: 'Tags', width: '19%' },
  { column: 'description', title: 'Description', width: 'auto' },
  { column: 'workers', title: 'Workers', width: '84px' },
  { column: 'created', title: 'Created', width: '172px' },
  { column: 'elapsed', title: 'Elapsed', width: '112px' },
];

interface ExperimentsTableProps {
  readonly rows: readonly ExperimentRow[];
  readonly sort: { readonly column: SortColumn; readonly order: SortOrder };
  readonly onSort: (column: SortColumn) => void;
  readonly onDialog: OpenDialog;
  readonly onDuplicate: Duplicate;
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

function Row({
  row,
  onDialog,
  onDuplicate,
}: { readonly row: ExperimentRow } & Pick<ExperimentsTableProps, 'onDialog' | 'onDuplicate'>) {
  const { experiment, description, tags } = row.experiment;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={600}>
        <Link to="/experiments/$experiment" params={{ experiment }} className="page-link">
          {experiment}
        </Link>
      </Table.Th>
      <Table.Td>
        <StatusBadge row={row} />
      </Table.Td>
      <Table.Td>
        <Tags tags={tags} dense />
      </Table.Td>
      <Table.Td>
        <Text size="sm" c="dimmed" lineClamp={1} title={description ?? ''}>
          {description}
        </Text>
      </Table.Td>
      <Table.Td>
        <WorkerCount workers={row.workers} />
      </Table.Td>
      <Table.Td className={styles.oneLine}>
        <Moment ms={row.createdAtMs} />
      </Table.Td>
      <Table.Td>
        <Elapsed sinceMs={row.createdAtMs} />
      </Table.Td>
      <Table.Td className={styles.menu}>
        <RowMenu row={row} onDialog={onDialog} onDuplicate={onDuplicate} />
      </Table.Td>
    </Table.Tr>
  );
}

/** The list on a wide screen. */
export function ExperimentsTable({ rows, sort, onSort, onDialog, onDuplicate }: ExperimentsTableProps) {
  return (
    <div className={styles.frame}>
      <Table
        layout="fixed"
        verticalSpacing={7}
        horizontalSpacing="sm"
        className={styles.table}
        aria-label="Experiments"
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <SortHead key={column.column} {...column} sort={sort} onSort={onSort} />
            ))}
            <Table.Th w="48px">
              <span className={styles.hidden}>Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <PartBoundary
              key={row.experiment.experiment}
              part={row.experiment.experiment}
              resetKey={row.experiment}
              fallback={
                <Table.Tr>
                  <Table.Td colSpan={columns.length + 1}>{row.experiment.experiment} could not be shown.</Table.Td>
                </Table.Tr>
              }
            >
              <Row row={row} onDialog={onDialog} onDuplicate={onDuplicate} />
            </PartBoundary>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
