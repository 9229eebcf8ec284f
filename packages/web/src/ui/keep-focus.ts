/** What can be pressed. The focus goes to no text field by itself: on a tablet that opens the keyboard. */
const pressable = ['button', 'a[href]', 'summary', '[role="button"]', '[tabindex="0"]'].join();
const usable = [pressable, 'input', 'select', 'textarea', 'label'].join();
const layers = ['[role="dialog"]', '[role="menu"]', '[role="listbox"]'].join();

/** Where an element has the focus. */
interface Held {
  readonly element: HTMLElement;
  /** The dialog or menu around it; null: the page. */
  readonly layer: Element | null;
  /** What contains it, from the inside out, and its place in each. */
  readonly places: readonly { readonly parent: Element; readonly index: number }[];
}

const isDisabled = (element: Element): boolean => element.matches(':disabled');
const isVisible = (element: Element): boolean => element.getClientRects().length > 0;

function heldBy(element: HTMLElement): Held {
  const places: { parent: Element; index: number }[] = [];
  for (let child: Element = element; child.parentElement !== null && child !== document.body; ) {
    const parent = child.parentElement;
    places.push({ parent, index: [...parent.children].indexOf(child) });
    child = parent;
  }
  return { element, layer: element.closest(layers), places };
}

/** The control nearest to where a removed element was: what took its place, the next one, or the last one before. */
function replacementOf({ places }: Held): HTMLElement | null {
  for (const { parent, index } of places) {
    if (!parent.isConnected) continue;
    if (parent === document.body) return null;
    const all = [...parent.querySelectorAll<HTMLElement>(pressable)].filter(isVisible);
    const present = parent.children[index];
    const following = all.find(
      (each) =>
        present !== undefined &&
        (present.contains(each) || (present.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0),
    );
    const found = parent.querySelector<HTMLElement>(':scope > [data-takes-focus]') ?? following ?? all.at(-1);
    if (found !== undefined) return found;
  }
  return null;
}

/**
 * Keeps the focus where a person works: when a control that has it disappears or is disabled by its own action, or the dialog around it
 * closes, the focus goes to what replaces the control, as soon as that can be pressed. Returns what ends it.
 */
export function keepFocus(): () => void {
  /** What has the focus, and what had it below the dialogs and menus around that; the page first. */
  let stack: readonly Held[] = [];
  /** The control that had the focus is gone, not left by the person. */
  let isLost = false;
  let movedTo: HTMLElement | undefined;

  const note = (element: EventTarget | null): void => {
    if (!(element instanceof HTMLElement) || element === document.body) return;
    const held = heldBy(element);
    const below = stack.findIndex(({ layer }) => layer === held.layer);
    stack = [...(below < 0 ? stack : stack.slice(0, below)), held];
    isLost = false;
  };
  const onFocus = ({ target }: FocusEvent): void => note(target);
  // Whoever clicks beside all controls of the page has left them; beside a dialog that is how it is closed.
  const onPointer = ({ target }: PointerEvent): void => {
    if (!(target instanceof Element) || (stack.at(-1)?.layer ?? null) !== null) return;
    if (target.closest(usable) === null) stack = [];
  };
  // A key that is held down must not press what the focus was moved to.
  const onKey = (event: KeyboardEvent): void => {
    if (event.repeat && event.key === 'Enter' && event.target === movedTo) event.preventDefault();
    else if (!event.repeat) movedTo = undefined;
  };
  const check = (): void => {
    const { activeElement } = document;
    if (activeElement !== null && activeElement !== document.body && !isDisabled(activeElement)) return;
    const open = stack.filter(({ layer }) => layer === null || layer.isConnected);
    if (open.length < stack.length) isLost = true;
    stack = open;
    const held = stack.at(-1);
    if (held === undefined) return;
    if (!held.element.isConnected || isDisabled(held.element)) isLost = true;
    if (!isLost) return;
    const target = held.element.isConnected ? held.element : replacementOf(held);
    // It waits for the end of a request.
    if (target !== null && isDisabled(target)) return;
    movedTo = target ?? document.querySelector('main') ?? undefined;
    movedTo?.focus({ preventScroll: true });
    isLost = false;
  };

  note(document.activeElement);
  const observer = new MutationObserver(check);
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] });
  document.addEventListener('focusin', onFocus);
  document.addEventListener('pointerdown', onPointer);
  document.addEventListener('keydown', onKey, true);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('pointerdown', onPointer);
    document.removeEventListener('keydown', onKey, true);
  };
}
