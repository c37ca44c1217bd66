#import "Parser.h"

@interface Parser ()
@property (nonatomic) NSDictionary *last;
@end

@implementation Parser
- (instancetype)initWithUserInfo:(NSDictionary *)userInfo {
  if (self = [super init]) { _userInfo = [userInfo copy]; _last = userInfo; [self show]; }
  return self;
}
- (NSString *)opponent { return self.userInfo[@"opponent"]; }
- (void)show { NSParameterAssert(_last[@"of_ivar"]); NSParameterAssert(_last[kHome]); }
+ (void)track:(NSDictionary *)info named:(NSString *)name { NSParameterAssert(info[@"of_class_method"]); }
@end

@implementation Content
- (void)didReceiveNotification:(UNNotification *)notification {
  NSDictionary *info = notification.request.content.userInfo;
  NSLog(@"%@", [Reader textFrom:info]);
  [[[Reader alloc] initWithUserInfo:info] showWithInfo:info in:self.view];
}
@end
