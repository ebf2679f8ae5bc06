/** Scripts that let a shell ask `hortus completion <shell> -- <words>`. Files are offered where the table knows no names. */
export const shellScripts = {
  bash: `# hortus completion for bash. Load it with: source <(hortus completion bash)
_hortus() {
  local IFS=$'\\n'
  COMPREPLY=($(hortus completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _hortus hortus
`,
  zsh: `#compdef hortus
# hortus completion for zsh. Load it with: source <(hortus completion zsh), or put it as _hortus into a folder of $fpath.
_hortus() {
  local -a found
  found=("\${(@f)$(hortus completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then
    _describe hortus found
  else
    _files
  fi
}
if [[ "$funcstack[1]" == _hortus ]]; then
  _hortus "$@"
else
  compdef _hortus hortus
fi
`,
  fish: `# hortus completion for fish. Load it with: hortus completion fish | source
function __hortus_complete
    set -l words (commandline -opc) "$(commandline -ct)"
    set -l found (hortus completion fish -- $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$(commandline -ct)"
    end
end
complete -c hortus -f -a '(__hortus_complete)'
`,
} as const;
