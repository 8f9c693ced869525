#!/usr/bin/env bash
# Words that were given up for those of Kubernetes, etcd and the RFCs do not come back (docs/glossary.md).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

RETIRED=(
  afresh alongside beginConsent GroundsLost restsOn    # admission preconditions: bypassCache, Requirements
  catchUp CatchUp                                      # freshness
  closers Closers                                      # shutdown hooks
  CommitObjects CommitKind                             # TransactionObjects, TransactionKind
  denialOf resourceDenial                              # forbiddenRequest, forbiddenResource
  AskAgain askingAgain stillClient RESTS_ON            # RequestStages, sameIdentity (revalidation)
  followfeed headRevision HeadRevision knownAway       # rewatch, revision probe, circuit breaker
  hostLines HostLines movedRights rolesFollowed Sight  # revision map, revision bump, role freshness, visibility filter
  Loop LoopContext RunningLoops runLoops               # controller
  MASTERS                                              # privileged group
  otherForm OtherForm                                  # storage alias
  '\w*PATIENCE_MS' patienceMs ConnectPatience          # ..._TIMEOUT_MS, timeoutMs
  'own(Keys|Identity|Tokens)Authorizer' DueQueue       # self keys, self identity, delaying queue
  privateState PrivateState                            # write-only fields
  RequestKind RequestStore                             # virtual resource
  resplice                                             # setResourceVersion
  WatchGate WatchOutlet WatchFrames                    # watch filter, watch writer, watch encoder
  patiently againOnConflict reachGone removeSurely     # retryUntilSuccess, retryOnConflict, waitForDeletion
  takeSent seenOf                                      # takeWriteOnlyFields, visibleRange
  storeAway rolesAway PluginAway                       # storeUnavailable, rolesUnavailable, PluginUnavailable
  sightOf openDeciders doubtOf                         # filterOf, openAuthorizers, storeMismatch
  ToldKey toldRules tellLastActivity tellOfUnknown     # ReportedKey, resourceRules, recordLastActivity
  keptAs readKept forgetKept keptOwner                 # storageResource, readPrivateRecord, preserveOwner
  Eyes GateOptions MovedRights StandingFeed            # VisibilityAuthorizer, WatchFilterOptions, RevisionBump, StandingRights
  FollowedTrust followTrust openLane paceOfVerb        # DynamicTrust, openDynamicTrust, openParserPool, queueOfVerb
  sameStore SameStore answerCache waitingHandler       # StoreIdentity, decisionCache, degradedHandler
  STRAY_MS                                             # ORPHAN_MS
)

# Phrases of help, messages, comments and docs.
PHRASES=(
  'has no use (without|in)' # requires; is not valid in
  'kube config'             # kubeconfig
  'who may ask'             # authentication, authorization
  'whom to believe'         # trusted authorities
  'whose a token is'        # TokenReview
)

pattern=$(IFS='|' && echo "${RETIRED[*]}")
if git grep -nwE "$pattern" -- '*.ts' '*.tsx' '*.mjs' '*.md' '*.sh' '*.yaml' ':!hack/verify-words.sh' ':!test/conformance'; then
  echo 'verify-words: these words were given up; docs/glossary.md and hack/verify-words.sh have those in their place' >&2
  exit 1
fi
phrases=$(IFS='|' && echo "${PHRASES[*]}")
if git grep -niE "$phrases" -- '*.ts' '*.tsx' '*.mjs' '*.md' '*.sh' '*.yaml' ':!hack/verify-words.sh' ':!CHANGELOG.md' ':!test/conformance'; then
  echo 'verify-words: these phrases were given up; hack/verify-words.sh says what stands in their place' >&2
  exit 1
fi
# Ways to write code that another way stands for, with an example of each.
declare -A FORMS=(
  ['\.\.\.\{']='a: ...{ b } spreads a literal: name its members'
  ['this\.#[a-z]']='a: this.#b is private by another keyword than the rest of the code: private b'
)
for form in "${!FORMS[@]}"; do
  grep -qE "$form" <<<"${FORMS[$form]}" || { echo "verify-words: $form finds nothing in its example" >&2; exit 1; }
  if git grep -nE "$form" -- '*.ts' '*.tsx' '*.mjs' ':!test/conformance'; then
    echo "verify-words: ${FORMS[$form]#a: }" >&2
    exit 1
  fi
done
echo "verify-words: none of ${#RETIRED[@]} retired words and ${#PHRASES[@]} phrases is used, and none of ${#FORMS[@]} forms"
