#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

NS_SWIFT_NAME(Parser)
@interface Parser : NSObject
@property (nonatomic, readonly, copy) NSDictionary *userInfo;
@property (nonatomic, readonly) NSString *opponent;
@end

NS_ASSUME_NONNULL_END
static NSString *const kHome = @"home";
