import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { DialogWorkProvider, useHold, useServices } from '../services/services.tsx';
import { createUnsavedWork } from '../services/unsaved-work.ts';
import { commonWords } from '../words/common.ts';
import { uiWords } from '../words/ui.ts';
import styles from './dialog.module.css';
import { useBackCloses } from './use-back-closes.ts';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Called when the dialog has disappeared. */
  readonly onClosed?: () => void;
  /** Whether a click outside closes it; off where it shows what is not shown again. */
  readonly closesOutside?: boolean;
  /** Whether something is not saved that was entered in what renders the dialog; what is inside of it uses `useUnsavedWork`. */
  readonly isDirty?: boolean;
  readonly size?: 'md' | 'lg';
  /** Above other dialogs that are open. */
  readonly isOnTop?: boolean;
  readonly children: ReactNode;
}

/** Mantine's dialogs have 200, what opens in them 300. */
const aboveDialogs = 400;

interface DialogWindowProps extends Omit<DialogProps, 'onClose' | 'isDirty'> {
  /** Escape, the cross, a click outside, or the browser's Back. */
  readonly onLeave: () => void;
  /** A link inside of it is clicked; what prevents the click keeps the page. */
  readonly onLink?: (event: MouseEvent, link: HTMLAnchorElement) => void;
}

function DialogWindow({
  title,
  isOpen,
  onLeave: leave,
  onLink,
  onClosed,
  closesOutside = true,
  size = 'md',
  isOnTop = false,
  children,
}: DialogWindowProps) {
  const content = useRef<HTMLDivElement>(null);
  // Escape and Back reach all open dialogs: the one with the focus answers.
  const onLeave = (): void => {
    const focused = document.activeElement?.closest('[aria-modal="true"]') ?? null;
    if (focused === null || focused === content.current) leave();
  };
  const onClick = (event: MouseEvent): void => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link !== null) onLink?.(event, link);
  };
  useBackCloses(isOpen, onLeave);
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onLeave}
      {...(onClosed ? { onExitTransitionEnd: onClosed } : {})}
      closeOnClickOutside={closesOutside}
      size={size}
      {...(isOnTop && { zIndex: aboveDialogs })}
      transitionProps={{ duration: 120 }}
      classNames={{ content: styles.content ?? '', header: styles.head ?? '', title: styles.title ?? '' }}
    >
      <Modal.Overlay />
      <Modal.Content ref={content} onClickCapture={onClick}>
        {/* A header element, which would be a second banner of the page. */}
        <Modal.Header role="none">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label={commonWords.close} />
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** The buttons of a dialog: they stay visible while the content above them scrolls. */
export const DialogActions = ({ children }: { readonly children: ReactNode }) => (
  <Group className={styles.actions} justify="flex-end" gap="xs">
    {children}
  </Group>
);

interface LossQuestionProps {
  readonly title: string;
  readonly text: string;
  readonly stay: string;
  readonly leave: string;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

/** Asks before something that is not saved is lost. */
export const LossQuestion = ({ title, text, stay, leave, onStay, onLeave }: LossQuestionProps) => (
  <DialogWindow title={title} isOpen isOnTop onLeave={onStay}>
    <Stack gap="md">
      <Text size="sm">{text}</Text>
      <DialogActions>
        <Button variant="default" onClick={onStay} data-autofocus>
          {stay}
        </Button>
        <Button color="red.9" onClick={onLeave}>
          {leave}
        </Button>
      </DialogActions>
    </Stack>
  </DialogWindow>
);

/**
 * A dialog over the page: named by its title; Escape, the cross, a click outside and the browser's Back close it, and the focus returns to
 * where it was. While something in it is not saved, they and its links ask before; Cancel says itself what it does.
 */
export function Dialog({ children, onClose, isDirty = false, ...rest }: DialogProps) {
  const { isOpen } = rest;
  const { unsavedWork } = useServices();
  const [work] = useState(() => createUnsavedWork(unsavedWork));
  useHold(work, isOpen && isDirty);
  const { history } = useRouter();
  /** What asks: closing it, or the link to this address. */
  const [asked, setAsked] = useState<{ readonly href: string | null } | null>(null);
  // What closes the dialog by itself, such as a confirmed request, answers the question, too.
  if (asked !== null && !isOpen) setAsked(null);
  // Escape reaches both dialogs: while the question is open, only the question answers it.
  const leave = (): void => {
    if (asked !== null) return;
    if (work.exists()) setAsked({ href: null });
    else onClose();
  };
  const onLink = (event: MouseEvent, { pathname, search, hash, target, origin }: HTMLAnchorElement): void => {
    const isElsewhere = target === '_blank' || event.ctrlKey || event.metaKey || event.shiftKey;
    // The browser asks before another site.
    if (isElsewhere || origin !== window.location.origin || !work.exists()) return;
    event.preventDefault();
    event.stopPropagation();
    setAsked({ href: pathname + search + hash });
  };
  const discard = (): void => {
    const href = asked?.href ?? null;
    setAsked(null);
    onClose();
    if (href !== null) history.push(href);
  };
  return (
    <>
      <DialogWindow {...rest} onLeave={leave} onLink={onLink}>
        <DialogWorkProvider value={work}>{children}</DialogWorkProvider>
      </DialogWindow>
      {isOpen && asked !== null && (
        <LossQuestion
          title={uiWords.discardQuestion}
          text={uiWords.enteredIsLost}
          stay={uiWords.keepEditing}
          leave={uiWords.discard}
          onStay={() => setAsked(null)}
          onLeave={discard}
        />
      )}
    </>
  );
}
