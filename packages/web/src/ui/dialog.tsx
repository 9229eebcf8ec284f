import { Group, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { commonWords } from '../words/common.ts';
import styles from './dialog.module.css';
import { useBackCloses } from './use-back-closes.ts';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Called when the dialog has disappeared. */
  readonly onClosed?: () => void;
  /** Whether a click outside closes it; off for dialogs with text fields. */
  readonly closesOutside?: boolean;
  readonly size?: 'md' | 'lg';
  /** Above other dialogs that are open. */
  readonly isOnTop?: boolean;
  readonly children: ReactNode;
}

/** Mantine's dialogs have 200, what opens in them 300. */
const aboveDialogs = 400;

/** A dialog over the page: named by its title, closed by Escape and by the browser's Back, the focus returns to where it was. */
export function Dialog({
  title,
  isOpen,
  onClose,
  onClosed,
  closesOutside = true,
  size = 'md',
  isOnTop = false,
  children,
}: DialogProps) {
  useBackCloses(isOpen, onClose);
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onClose}
      {...(onClosed ? { onExitTransitionEnd: onClosed } : {})}
      closeOnClickOutside={closesOutside}
      size={size}
      {...(isOnTop && { zIndex: aboveDialogs })}
      transitionProps={{ duration: 120 }}
      classNames={{ content: styles.content ?? '', header: styles.head ?? '', title: styles.title ?? '' }}
    >
      <Modal.Overlay />
      <Modal.Content>
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
