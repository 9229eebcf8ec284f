import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** It is out of sight. */
  readonly onClosed?: () => void;
  /** Whether a click beside it closes it; not wise while something is typed. */
  readonly closesOutside?: boolean;
  readonly size?: 'md' | 'lg';
  readonly children: ReactNode;
}

/** A dialog over the page: named by its title, closed by Escape, the focus returns to where it was. */
export function Dialog({ title, isOpen, onClose, onClosed, closesOutside = true, size = 'md', children }: DialogProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      {...(onClosed ? { onExitTransitionEnd: onClosed } : {})}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
      closeOnClickOutside={closesOutside}
      size={size}
      transitionProps={{ duration: 120 }}
    >
      {children}
    </Modal>
  );
}
