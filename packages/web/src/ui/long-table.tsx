import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { Fragment, type ReactNode, type Ref, useLayoutEffect, useRef, useState } from 'react';

/** Fewer rows are all drawn: the search of the browser finds them. Chosen. */
const allDrawn = 150;
/** So many rows are drawn above and below the window, for the Tab key and for fast scrolling. Chosen. */
const drawnBeside = 15;

/** What a row passes on to its element, so that it can be measured and a screen reader knows its place in the whole list. */
export interface RowPlace {
  readonly ref?: Ref<HTMLTableRowElement & HTMLLIElement>;
  readonly 'data-index'?: number;
  readonly 'aria-rowindex'?: number;
  readonly 'aria-posinset'?: number;
  readonly 'aria-setsize'?: number;
}

interface LongRowsProps<Row> {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Of a row that is not measured yet. */
  readonly estimatedPx: number;
  /** `table`: the rows are those of a table with one row of heads; `list`: they are list items. */
  readonly kind: 'table' | 'list';
  /** All rows are drawn, whatever their number. */
  readonly isWhole?: boolean;
  readonly children: (row: Row, place: RowPlace) => ReactNode;
}

/** What stands for rows that are not drawn. */
const Spacer = ({
  kind,
  px,
  at,
}: {
  readonly kind: 'table' | 'list';
  readonly px: number;
  readonly at?: (element: HTMLElement | null) => void;
}) =>
  kind === 'table' ? (
    <tr ref={at ?? null}>
      <td aria-hidden="true" colSpan={100} style={{ height: px, padding: 0, border: 0 }} />
    </tr>
  ) : (
    <li ref={at ?? null} aria-hidden="true" style={{ height: px }} />
  );

const placeOf = (kind: 'table' | 'list', index: number, count: number): RowPlace =>
  kind === 'table' ? { 'aria-rowindex': index + 2 } : { 'aria-posinset': index + 1, 'aria-setsize': count };

/** Of a long list only the rows near the window. */
function NearRows<Row>({ rows, keyOf, estimatedPx, kind, children }: LongRowsProps<Row>) {
  const start = useRef<HTMLElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  // What is above the list may have changed its height.
  useLayoutEffect(() => {
    if (start.current !== null) setScrollMargin(Math.round(start.current.getBoundingClientRect().top + window.scrollY));
  });
  const { getVirtualItems, getTotalSize, measureElement } = useWindowVirtualizer<HTMLTableRowElement & HTMLLIElement>({
    count: rows.length,
    estimateSize: () => estimatedPx,
    overscan: drawnBeside,
    scrollMargin,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : keyOf(row);
    },
  });
  const drawn = getVirtualItems();
  const [first, last] = [drawn[0], drawn.at(-1)];
  return (
    <>
      <Spacer
        kind={kind}
        px={first === undefined ? 0 : first.start - scrollMargin}
        at={(element) => {
          start.current = element;
        }}
      />
      {drawn.map(({ index, key }) => {
        const row = rows[index];
        if (row === undefined) return null;
        const place = { ref: measureElement, 'data-index': index, ...placeOf(kind, index, rows.length) };
        return <Fragment key={String(key)}>{children(row, place)}</Fragment>;
      })}
      <Spacer kind={kind} px={last === undefined ? 0 : getTotalSize() - (last.end - scrollMargin)} />
    </>
  );
}

/** Of a row of a list that is drawn as a whole. */
const nowhere: RowPlace = {};

/** The rows of a table or list that may have thousands. */
export function LongRows<Row>(props: LongRowsProps<Row>) {
  const { rows, keyOf, isWhole = false, children } = props;
  if (rows.length > allDrawn && !isWhole) return <NearRows {...props} />;
  return rows.map((row) => <Fragment key={keyOf(row)}>{children(row, nowhere)}</Fragment>);
}

/** How many rows a table has with its heads, for screen readers; nothing where all are drawn. */
export const rowCountOf = (rows: readonly unknown[]): { readonly 'aria-rowcount'?: number } =>
  rows.length > allDrawn ? { 'aria-rowcount': rows.length + 1 } : {};
