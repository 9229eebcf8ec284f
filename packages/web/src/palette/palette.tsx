import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { commonWords } from '../words/common.ts';
import { paletteWords } from '../words/palette.ts';
import styles from './palette.module.css';
import { matchingItems, type PaletteItem } from './palette-items.ts';

interface PaletteProps {
  readonly items: readonly PaletteItem[];
  readonly onClose: () => void;
}

/** The index after a key; `null`: the key does not move. */
function movedTo(key: string, active: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (active + 1) % count;
  if (key === 'ArrowUp') return (active + count - 1) % count;
  return null;
}

/** As soon as it is drawn: what a person types right after Ctrl K must not go elsewhere. The dialog itself would do it a moment later. */
const takeFocus = (field: HTMLInputElement | null): void => field?.focus({ preventScroll: true });

/**
 * Opens any page, experiment or unit, and starts commands: a person types a part of a name, and Enter takes the marked line. The
 * pattern is the "editable combobox with list" of the ARIA Authoring Practices: the focus stays in the field.
 */
export function Palette({ items, onClose }: PaletteProps) {
  const [typed, setTyped] = useState('');
  /** The item to which the person has gone: what is found later may move it. `null`: the first. */
  const [gone, setGone] = useState<string | null>(null);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const found = useMemo(() => matchingItems(items, typed), [items, typed]);
  const groups = useMemo(() => [...Map.groupBy(found, ({ group }) => group)], [found]);
  const active = Math.max(
    0,
    found.findIndex(({ id }) => id === gone),
  );
  const marked = found[active];
  const optionId = (item: PaletteItem): string => `${listId}-${items.indexOf(item)}`;
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });
  const take = (item: PaletteItem): void => {
    onClose();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = movedTo(event.key, active, found.length);
    if (next !== null) setGone(found[next]?.id ?? null);
    else if (event.key === 'Enter' && marked !== undefined && !event.nativeEvent.isComposing) take(marked);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog isOpen onClose={onClose} title={commonWords.search}>
      <input
        ref={takeFocus}
        className={styles.field}
        data-autofocus
        role="combobox"
        aria-label={paletteWords.pageExperimentUnitOrCommand}
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        {...(marked && { 'aria-activedescendant': optionId(marked) })}
        autoComplete="off"
        spellCheck={false}
        placeholder={paletteWords.typePartOfName}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          setGone(null);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={listId} role="listbox" aria-label={paletteWords.found} className={styles.found}>
        {groups.map(([group, members]) => (
          <fieldset key={group} className={styles.members} aria-label={paletteWords.groups[group]}>
            <div className={styles.group} aria-hidden="true">
              {paletteWords.groups[group]}
            </div>
            {members.map((item) => (
              <button
                key={item.id}
                id={optionId(item)}
                type="button"
                role="option"
                tabIndex={-1}
                aria-selected={item === marked}
                className={styles.option}
                onMouseMove={() => setGone(item.id)}
                onClick={() => take(item)}
              >
                {item.label}
                {item.hint !== undefined && <span className={styles.hint}> {item.hint}</span>}
              </button>
            ))}
          </fieldset>
        ))}
      </div>
      {found.length === 0 && (
        <p className={styles.none} role="status">
          {paletteWords.nothingHasThisName}
        </p>
      )}
    </Dialog>
  );
}
