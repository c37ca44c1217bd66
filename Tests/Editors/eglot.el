;; The language server with Emacs and Eglot: emacs --batch -l eglot.el; see `run`.  -*- lexical-binding: t -*-
(require 'package)
(package-initialize)
(require 'eglot)
(require 'flymake)
(require 'project)
(require 'xref)
(require 'cl-lib)

(defvar root (file-name-as-directory (getenv "EDITOR_PROJECT")))
(defvar command (getenv "EDITOR_COMMAND"))

(defun check (condition text &rest arguments)
  (unless condition
    (message "eglot: %s" (apply #'format text arguments))
    (kill-emacs 1)))

(defun wait-for (text condition)
  (with-timeout (60 (check nil "waited in vain for %s" text))
    (while (not (funcall condition)) (accept-process-output nil 0.05))))

(define-derived-mode campaign-mode text-mode "Campaign")
(add-to-list 'auto-mode-alist '("\\.campaign\\.yml\\'" . campaign-mode))
(add-to-list 'eglot-server-programs (cons 'campaign-mode (list command "lsp")))
(setq eglot-sync-connect 60 eglot-send-changes-idle-time 0.05 eglot-confirm-server-initiated-edits nil
      eglot-autoshutdown t project-find-functions (list (lambda (_) (cons 'transient root))))

(find-file (concat root "templates/lab-progress.campaign.yml"))
(eglot '(campaign-mode) (cons 'transient root) 'eglot-lsp-server (list command "lsp") "yaml")
(wait-for "the start" #'eglot-current-server)

;; Diagnostics while typing.
(goto-char (point-min))
(search-forward "default: 'you'")
(replace-match "upcas 😀")
(setq broken (buffer-string))
(eglot--signal-textDocument/didChange)
(flymake-mode 1)
(flymake-start)
(defun finding (code)
  (cl-find-if (lambda (found) (string-match-p code (flymake-diagnostic-text found))) (flymake-diagnostics)))
(wait-for "a finding" (lambda () (finding "unknown filter 'upcas'")))
(let ((found (finding "unknown filter 'upcas'")))
  (check (equal "upcas" (buffer-substring (flymake-diagnostic-beg found) (flymake-diagnostic-end found)))
         "the place of the finding: %s"
         (buffer-substring (flymake-diagnostic-beg found) (flymake-diagnostic-end found))))

(defun request (method &rest more)
  (jsonrpc-request (eglot-current-server) method (append (eglot--TextDocumentPositionParams) more)))

;; Completion and hover.
(goto-char (point-min))
(search-forward "| upcas")
(let* ((items (plist-get (request :textDocument/completion) :items)))
  (check (and (= 1 (length items)) (equal "upcase" (plist-get (aref items 0) :label))) "completion: %S" items))
(goto-char (point-min))
(search-forward "categ")
(check (string-match-p "aps.category" (format "%S" (request :textDocument/hover))) "hover")

;; Definition.
(search-forward ": lab_pr")
(let ((found (xref-backend-definitions 'eglot "lab_progress")))
  (check (and (= 1 (length found))
              (string-match-p "LabProgress/Info.plist" (xref-location-group (xref-item-location (car found)))))
         "definition: %S" found))

;; A fix, after which only its word has changed.
(goto-char (point-min))
(search-forward "| upcas")
(let* ((actions (jsonrpc-request (eglot-current-server) :textDocument/codeAction
                                 (list :textDocument (eglot--TextDocumentIdentifier)
                                       :range (list :start (eglot--pos-to-lsp-position (line-beginning-position))
                                                    :end (eglot--pos-to-lsp-position (line-end-position)))
                                       :context (list :diagnostics []))))
       (fix (cl-find "write 'upcase'" actions :key (lambda (action) (plist-get action :title)) :test #'equal)))
  (check fix "no fix in %S" actions)
  (eglot--apply-workspace-edit (plist-get fix :edit)))
(check (equal (buffer-string) (replace-regexp-in-string "upcas 😀" "upcase 😀" broken)) "the text after the fix")
(eglot--signal-textDocument/didChange)
(wait-for "the finding's end" (lambda () (flymake-start) (not (finding "unknown filter 'upcas'"))))

(eglot-shutdown (eglot-current-server))
(set-buffer-modified-p nil)
(message "emacs %s with eglot: all right" emacs-version)
(kill-emacs 0)
